// Three kinds as an author of controllers writes them in Go; tests/controller_gen.rs has the same in Rust.
//
// +groupName=compare.example.com
// +versionName=v1
// +kubebuilder:object:generate=true
package kinds

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Website is a site with replicas.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=ws,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:printcolumn:name="Domain",type=string,JSONPath=`.spec.domain`
// +kubebuilder:validation:XValidation:rule="self.spec.replicas <= 10",message="at most 10 replicas"
type Website struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WebsiteSpec   `json:"spec"`
	Status WebsiteStatus `json:"status,omitempty"`
}

// WebsiteSpec is what is wanted.
type WebsiteSpec struct {
	// Domain is where it is.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a site cannot move"
	Domain string `json:"domain"`
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:default=1
	Replicas int32 `json:"replicas,omitempty"`
	Tier     Tier  `json:"tier"`
	// +listType=map
	// +listMapKey=name
	Listeners []Listener `json:"listeners,omitempty"`
}

// +kubebuilder:validation:Enum=Front;Back
type Tier string

type Listener struct {
	Name string `json:"name"`
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port     int32               `json:"port"`
	Target   *intstr.IntOrString `json:"target,omitempty"`
	Hostname *string             `json:"hostname,omitempty"`
}

type WebsiteStatus struct {
	Replicas int32 `json:"replicas,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Backup is a copy that is made now and then.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BackupSpec    `json:"spec"`
	Status *BackupStatus `json:"status,omitempty"`
}

type BackupSpec struct {
	Source   string                       `json:"source"`
	Size     resource.Quantity            `json:"size"`
	Limits   map[string]resource.Quantity `json:"limits,omitempty"`
	Interval metav1.Duration              `json:"interval"`
	Labels   map[string]string            `json:"labels,omitempty"`
	Selector *metav1.LabelSelector        `json:"selector,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	Options map[string]string `json:"options,omitempty"`
	Suspend *bool             `json:"suspend,omitempty"`
	// +listType=set
	Include []string `json:"include,omitempty"`
}

type BackupStatus struct {
	LastTime *metav1.Time `json:"lastTime,omitempty"`
	Count    int64        `json:"count,omitempty"`
}

// Region is a place.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:deprecatedversion:warning="use zones"
type Region struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Zones  []string         `json:"zones"`
	Weight *float64         `json:"weight,omitempty"`
	Rates  map[string]int64 `json:"rates,omitempty"`
}
