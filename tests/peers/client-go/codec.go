package main

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// A kind is what a typed client of client-go knows of a resource.
type kind struct {
	version schema.GroupVersion
	list    func() runtime.Object
}

var kinds = map[string]kind{
	"pods":           {corev1.SchemeGroupVersion, func() runtime.Object { return &corev1.PodList{} }},
	"nodes":          {corev1.SchemeGroupVersion, func() runtime.Object { return &corev1.NodeList{} }},
	"secrets":        {corev1.SchemeGroupVersion, func() runtime.Object { return &corev1.SecretList{} }},
	"events":         {corev1.SchemeGroupVersion, func() runtime.Object { return &corev1.EventList{} }},
	"deployments":    {appsv1.SchemeGroupVersion, func() runtime.Object { return &appsv1.DeploymentList{} }},
	"endpointslices": {discoveryv1.SchemeGroupVersion, func() runtime.Object { return &discoveryv1.EndpointSliceList{} }},
	"customresourcedefinitions": {apiextensionsv1.SchemeGroupVersion, func() runtime.Object {
		return &apiextensionsv1.CustomResourceDefinitionList{}
	}},
}

// A codec encodes and decodes as the REST client of client-go does.
type codec struct {
	factory runtime.NegotiatedSerializer
	info    runtime.SerializerInfo
}

func newCodec(format string) (*codec, error) {
	types := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(types))
	utilruntime.Must(apiextensionsv1.AddToScheme(types))
	factory := serializer.NewCodecFactory(types).WithoutConversion()
	mediaType := map[string]string{"json": runtime.ContentTypeJSON, "protobuf": runtime.ContentTypeProtobuf}[format]
	info, found := runtime.SerializerInfoForMediaType(factory.SupportedMediaTypes(), mediaType)
	if !found {
		return nil, fmt.Errorf("%q is no format", format)
	}
	return &codec{factory, info}, nil
}

func (c *codec) decode(name string, body []byte) (runtime.Object, error) {
	kind, found := kinds[name]
	if !found {
		return nil, fmt.Errorf("no type for %s", name)
	}
	list := kind.list()
	decoded, _, err := c.factory.DecoderToVersion(c.info.Serializer, kind.version).Decode(body, nil, list)
	if err == nil && decoded != list {
		err = fmt.Errorf("decoded %T instead of %T", decoded, list)
	}
	return list, err
}

func (c *codec) decodeAll(inputs []input) ([]runtime.Object, error) {
	lists := make([]runtime.Object, 0, len(inputs))
	for _, input := range inputs {
		list, err := c.decode(input.kind, input.body)
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", input.kind, err)
		}
		lists = append(lists, list)
	}
	return lists, nil
}

func (c *codec) encode(name string, list runtime.Object) ([]byte, error) {
	return runtime.Encode(c.factory.EncoderForVersion(c.info.Serializer, kinds[name].version), list)
}

func count(lists []runtime.Object) int {
	items := 0
	for _, list := range lists {
		items += meta.LenList(list)
	}
	return items
}
