// Prints, for every message of the Kubernetes API, the fields whose zero value encoding/json treats otherwise than
// the usual way: facts of the Go types (pointer or not, omitempty, omitzero), which no .proto file has.
//
//	go mod init rules && go get k8s.io/client-go@v0.34.4 k8s.io/apiextensions-apiserver@v0.34.4 \
//	  k8s.io/kube-aggregator@v0.34.4 && go run json-rules.go > kubernetes.json-rules.json
//
// Codes, and what is usual and therefore not printed:
//
//	scalar, list, map  usual: omitted when zero    p: pointer, written when it is on the wire
//	                   a: always written           n: null when it is not on the wire
//	message            usual: pointer              n: null when it is not on the wire
//	                   a: struct, always written   z: struct, omitted when zero
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

func main() {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, admissionv1.AddToScheme, apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme,
		imagepolicyv1alpha1.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	rules := map[string]map[string]string{}
	seen := map[reflect.Type]bool{}
	for _, t := range s.AllKnownTypes() {
		walk(t, rules, seen)
	}
	for _, v := range []any{metav1.PartialObjectMetadata{}, metav1.PartialObjectMetadataList{}, runtime.Unknown{},
		metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.APIVersions{}, metav1.TableOptions{}} {
		walk(reflect.TypeOf(v), rules, seen)
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(rules); err != nil {
		panic(err)
	}
}

func walk(t reflect.Type, rules map[string]map[string]string, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || !strings.HasPrefix(t.PkgPath(), "k8s.io/") {
		return
	}
	seen[t] = true
	message := strings.NewReplacer("/", ".", "-", "_").Replace(t.PkgPath()) + "." + t.Name()
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		walk(f.Type, rules, seen)
		name := protoName(f.Tag.Get("protobuf"))
		if name == "" {
			continue
		}
		if code := codeOf(f); code != "" {
			if rules[message] == nil {
				rules[message] = map[string]string{}
			}
			rules[message][name] = code
		}
	}
}

func codeOf(f reflect.StructField) string {
	tag := f.Tag.Get("json")
	omits := strings.Contains(tag, ",omitempty")
	switch f.Type.Kind() {
	case reflect.Pointer:
		switch {
		case !omits && !strings.Contains(tag, "inline"):
			return "n"
		case f.Type.Elem().Kind() == reflect.Struct:
			return ""
		default:
			return "p"
		}
	case reflect.Struct:
		if strings.Contains(tag, ",omitzero") {
			return "z"
		}
		return "a"
	case reflect.Slice, reflect.Map:
		if omits {
			return ""
		}
		return "n"
	default:
		if omits {
			return ""
		}
		return "a"
	}
}

func protoName(tag string) string {
	for _, part := range strings.Split(tag, ",") {
		if strings.HasPrefix(part, "name=") {
			return strings.TrimPrefix(part, "name=")
		}
	}
	return ""
}
