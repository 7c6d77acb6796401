// Prints, for every message of the Kubernetes API, the fields whose zero value encoding/json treats otherwise than
// the usual way: facts of the Go types (pointer or not, omitempty, omitzero), which no .proto file has.
//
//	go mod init rules && go get k8s.io/client-go@v0.34.4 k8s.io/apiextensions-apiserver@v0.34.4 \
//	  k8s.io/kube-aggregator@v0.34.4 && go run json-rules.go types.go > kubernetes.json-rules.json
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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func main() {
	rules, seen := facts{}, map[reflect.Type]bool{}
	for _, t := range everyKind().AllKnownTypes() {
		rules.walk(t, seen, code)
	}
	for _, v := range []any{metav1.PartialObjectMetadata{}, metav1.PartialObjectMetadataList{}, runtime.Unknown{},
		metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.APIVersions{}, metav1.TableOptions{}} {
		rules.walk(reflect.TypeOf(v), seen, code)
	}
	if err := json.NewEncoder(os.Stdout).Encode(rules); err != nil {
		panic(err)
	}
}

func code(f reflect.StructField, _ string) (string, bool) {
	code := codeOf(f)
	return code, code != ""
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
