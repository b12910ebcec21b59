// Command go-check reads Kubernetes objects with the Go types and writes them
// again, so that another implementation can be compared with Go's.
//
// Requests come on standard input, answers leave on standard output, one for
// each request, in order. Both are sequences of byte strings, each preceded by
// its length (32 bits, big-endian):
//
//	request: apiVersion, kind, format ("json" or "protobuf"), body
//	answer:  verdict, JSON, protobuf in its envelope
//
// The verdict is empty if all went well, "unregistered" if the scheme does not
// know the kind, else the text of the error; JSON and protobuf are then empty.
// JSON is read strictly: an unknown or repeated field is an error.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

const (
	requestParts = 4
	maxPart      = 64 << 20
	unregistered = "unregistered"
)

type codecs struct {
	scheme *runtime.Scheme
	json   runtime.Serializer
	proto  runtime.Serializer
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "go-check:", err)
		os.Exit(1)
	}
}

func newCodecs() (*codecs, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme,
		apiextensionsv1.AddToScheme,
		apiregistrationv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	options := json.SerializerOptions{Strict: true}
	return &codecs{
		scheme: scheme,
		json:   json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, options),
		proto:  protobuf.NewSerializer(scheme, scheme),
	}, nil
}

func serve(in io.Reader, out io.Writer) error {
	codecs, err := newCodecs()
	if err != nil {
		return err
	}
	reader, writer := bufio.NewReader(in), bufio.NewWriter(out)
	for {
		request, err := readRequest(reader)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		verdict, asJSON, asProtobuf := codecs.answer(request)
		for _, part := range [][]byte{[]byte(verdict), asJSON, asProtobuf} {
			if err := writePart(writer, part); err != nil {
				return err
			}
		}
		if err := writer.Flush(); err != nil {
			return err
		}
	}
}

// answer turns a panic of a decoder or an encoder into a verdict: it is a
// finding about one object, the next ones are still to be looked at.
func (c *codecs) answer(request [requestParts][]byte) (verdict string, asJSON, asProtobuf []byte) {
	defer func() {
		if cause := recover(); cause != nil {
			verdict, asJSON, asProtobuf = fmt.Sprintf("panic: %v", cause), nil, nil
		}
	}()
	asJSON, asProtobuf, err := c.convert(string(request[0]), string(request[1]), string(request[2]), request[3])
	if err != nil {
		return err.Error(), nil, nil
	}
	return "", asJSON, asProtobuf
}

func (c *codecs) convert(apiVersion, kind, format string, body []byte) (asJSON, asProtobuf []byte, err error) {
	expected := schema.FromAPIVersionAndKind(apiVersion, kind)
	if !c.scheme.Recognizes(expected) {
		return nil, nil, errors.New(unregistered)
	}
	decoder := c.json
	switch format {
	case "json":
	case "protobuf":
		decoder = c.proto
	default:
		return nil, nil, fmt.Errorf("unknown format %q", format)
	}
	object, actual, err := decoder.Decode(body, nil, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("decode %s: %w", format, err)
	}
	if *actual != expected {
		return nil, nil, fmt.Errorf("the body is a %v, not a %v", actual, expected)
	}
	var jsonOut, protobufOut bytes.Buffer
	if err := c.json.Encode(object, &jsonOut); err != nil {
		return nil, nil, fmt.Errorf("encode json: %w", err)
	}
	if err := c.proto.Encode(object, &protobufOut); err != nil {
		return nil, nil, fmt.Errorf("encode protobuf: %w", err)
	}
	return jsonOut.Bytes(), protobufOut.Bytes(), nil
}

// readRequest returns io.EOF only where a request would begin.
func readRequest(reader io.Reader) (request [requestParts][]byte, err error) {
	for index := range request {
		request[index], err = readPart(reader)
		if index > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return request, err
		}
	}
	return request, nil
}

func readPart(reader io.Reader) ([]byte, error) {
	var length uint32
	if err := binary.Read(reader, binary.BigEndian, &length); err != nil {
		return nil, err
	}
	if length > maxPart {
		return nil, fmt.Errorf("a part of %d bytes", length)
	}
	part := make([]byte, length)
	if _, err := io.ReadFull(reader, part); err != nil {
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return part, nil
}

func writePart(writer io.Writer, part []byte) error {
	if err := binary.Write(writer, binary.BigEndian, uint32(len(part))); err != nil {
		return err
	}
	_, err := writer.Write(part)
	return err
}
