// Prints what no .proto file has: which message each kind is, and where JSON has other names than protobuf. Beside
// json-rules.go, in the same module:
//
//	go run names.go > kubernetes.names.json
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

func main() {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, admissionv1.AddToScheme, apidiscoveryv2.AddToScheme, imagepolicyv1alpha1.AddToScheme,
		apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	kinds, names, seen := map[string]string{}, map[string]map[string]string{}, map[reflect.Type]bool{}
	for gvk, t := range s.AllKnownTypes() {
		walk(t, names, seen)
		if gvk.Version != runtime.APIVersionInternal && strings.HasPrefix(t.PkgPath(), "k8s.io/") {
			kinds[gvk.Group+"/"+gvk.Version+"/"+gvk.Kind] = messageOf(t)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"gvk": kinds, "jsonNames": names}); err != nil {
		panic(err)
	}
}

func walk(t reflect.Type, names map[string]map[string]string, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || !strings.HasPrefix(t.PkgPath(), "k8s.io/") {
		return
	}
	seen[t] = true
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		walk(f.Type, names, seen)
		proto, ok := protoName(f.Tag.Get("protobuf"))
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !ok || tag == proto {
			continue
		}
		if names[messageOf(t)] == nil {
			names[messageOf(t)] = map[string]string{}
		}
		names[messageOf(t)][proto] = tag
	}
}

func messageOf(t reflect.Type) string {
	return strings.NewReplacer("/", ".", "-", "_").Replace(t.PkgPath()) + "." + t.Name()
}

func protoName(tag string) (string, bool) {
	for _, part := range strings.Split(tag, ",") {
		if name, ok := strings.CutPrefix(part, "name="); ok {
			return name, true
		}
	}
	return "", false
}
