// Prints what no .proto file has: which message each kind is, and where JSON has other names than protobuf. Beside
// json-rules.go, in the same module:
//
//	go run names.go types.go > kubernetes.names.json
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

func main() {
	kinds, names, seen := map[string]string{}, facts{}, map[reflect.Type]bool{}
	for gvk, t := range everyKind().AllKnownTypes() {
		names.walk(t, seen, jsonName)
		if gvk.Version != runtime.APIVersionInternal && strings.HasPrefix(t.PkgPath(), "k8s.io/") {
			kinds[gvk.Group+"/"+gvk.Version+"/"+gvk.Kind] = messageOf(t)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"gvk": kinds, "jsonNames": names}); err != nil {
		panic(err)
	}
}

func jsonName(f reflect.StructField, proto string) (string, bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, name != proto
}
