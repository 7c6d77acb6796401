// Objects of every built-in kind with a share of zero values, as protobuf and as the JSON of the same object:
// fixtures/objects/zero-values.jsonl.gz (those whose kind is in the table and whose protobuf is at most 4,000 bytes).
//
//	go get k8s.io/client-go@v0.34.4 k8s.io/apiextensions-apiserver@v0.34.4 k8s.io/kube-aggregator@v0.34.4
//	go run objects.go 3 0.45
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"sort"
	"strconv"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonser "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/randfill"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	zero, _ := strconv.ParseFloat(os.Args[2], 64)
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, admissionv1.AddToScheme, apidiscoveryv2.AddToScheme, imagepolicyv1alpha1.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	metav1.AddMetaToScheme(s)
	z := func(c randfill.Continue) bool { return c.Float64() < zero }
	f := randfill.NewWithSeed(int64(n)+int64(zero*1000)).NilChance(zero).NumElements(0, 2).MaxDepth(20).Funcs(
		func(v *string, c randfill.Continue) {
			if !z(c) {
				*v = []string{"a", "name-1", "ünï<&>\u2028", "x\"y\\z\n"}[c.Intn(4)]
			}
		},
		func(v *int32, c randfill.Continue) {
			if !z(c) {
				*v = []int32{1, -1, math.MaxInt32, math.MinInt32, 300}[c.Intn(5)]
			}
		},
		func(v *int64, c randfill.Continue) {
			if !z(c) {
				*v = []int64{1, -1, 1 << 40, -(1 << 45), 1<<53 - 1}[c.Intn(5)]
			}
		},
		func(v *bool, c randfill.Continue) { *v = !z(c) && c.Bool() },
		func(v *float64, c randfill.Continue) {
			if !z(c) {
				*v = []float64{1.5, -2, 1e21, 3e-7}[c.Intn(4)]
			}
		},
		func(v *metav1.Time, c randfill.Continue) {
			if !z(c) {
				*v = metav1.Time{Time: time.Unix(c.Int63n(4e9), 0).UTC()}
			}
		},
		func(v *metav1.MicroTime, c randfill.Continue) {
			if !z(c) {
				*v = metav1.MicroTime{Time: time.Unix(c.Int63n(4e9), c.Int63n(1e6)*1000).UTC()}
			}
		},
		func(v *metav1.Duration, c randfill.Continue) {
			if !z(c) {
				v.Duration = time.Duration([]int64{1, 1500, 2500000, 1e9, 61e9 + 5e8, 3600e9, 3661e9 + 1, -90e9, c.Int63()}[c.Intn(9)])
			}
		},
		func(v *resource.Quantity, c randfill.Continue) {
			if !z(c) {
				*v = resource.MustParse([]string{"110", "1500m", "24684092Ki", "0.5", "1e3", "0", "-5Gi"}[c.Intn(7)])
			}
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			if !z(c) {
				if c.Bool() {
					*v = intstr.FromInt32(int32(c.Intn(9000)))
				} else {
					*v = intstr.FromString([]string{"25%", "", "http"}[c.Intn(3)])
				}
			}
		},
		func(v *runtime.RawExtension, c randfill.Continue) {
			if !z(c) {
				v.Raw = []byte([]string{`{"a":1,"b":[true,null]}`, `{}`, `{"apiVersion":"example.com/v1","kind":"X"}`}[c.Intn(3)])
			}
		},
		func(v *metav1.FieldsV1, c randfill.Continue) {
			if !z(c) {
				v.Raw = []byte(`{"f:spec":{"f:replicas":{}}}`)
			}
		},
		func(v *apiextensionsv1.JSON, c randfill.Continue) {
			if !z(c) {
				v.Raw = []byte([]string{`1`, `"x"`, `{"a":[]}`}[c.Intn(3)])
			}
		},
		func(v *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			p := apiextensionsv1.JSONSchemaProps{Type: "string", Description: "d"}
			if c.Bool() {
				v.Schema = &p
			} else {
				v.JSONSchemas = []apiextensionsv1.JSONSchemaProps{p, {}}
			}
		},
		func(v *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			switch c.Intn(3) {
			case 0:
				v.Allows = true
			case 1:
				v.Allows = true
				v.Schema = &apiextensionsv1.JSONSchemaProps{Type: "object"}
			}
		},
		func(v *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				v.Property = []string{"p", ""}
			} else {
				v.Schema = &apiextensionsv1.JSONSchemaProps{Type: "integer"}
			}
		},
		func(v *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			c.FillNoCustom(v)
			v.Properties, v.Definitions, v.PatternProperties = map[string]apiextensionsv1.JSONSchemaProps{"q": {Type: "number", Maximum: v.Maximum}}, nil, nil
			v.AllOf, v.OneOf, v.AnyOf, v.Not = nil, nil, nil, nil
		},
	)
	ps := protobuf.NewSerializer(s, s)
	js := jsonser.NewSerializerWithOptions(jsonser.DefaultMetaFactory, s, s, jsonser.SerializerOptions{})
	out := json.NewEncoder(os.Stdout)
	var gvks []schema.GroupVersionKind
	for gvk := range s.AllKnownTypes() {
		gvks = append(gvks, gvk)
	}
	sort.Slice(gvks, func(i, j int) bool { return gvks[i].String() < gvks[j].String() })
	for _, gvk := range gvks {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		for i := 0; i < n; i++ {
			obj, err := s.New(gvk)
			if err != nil {
				panic(err)
			}
			if i > 0 {
				f.Fill(obj)
			}
			obj.GetObjectKind().SetGroupVersionKind(gvk)
			var pb bytes.Buffer
			if err := ps.Encode(obj, &pb); err != nil {
				if i == 0 {
					fmt.Fprintln(os.Stderr, gvk, err)
				}
				continue
			}
			back, _, err := ps.Decode(pb.Bytes(), nil, nil)
			if err != nil {
				fmt.Fprintln(os.Stderr, "decode", gvk, err)
				continue
			}
			back.GetObjectKind().SetGroupVersionKind(gvk)
			if items := reflect.ValueOf(back).Elem().FieldByName("Items"); items.IsValid() && items.Kind() == reflect.Slice && items.IsNil() {
				items.Set(reflect.MakeSlice(items.Type(), 0, 0))
			}
			var j bytes.Buffer
			if err := js.Encode(back, &j); err != nil {
				fmt.Fprintln(os.Stderr, "json", gvk, err)
				continue
			}
			out.Encode(map[string]any{"kind": gvk.GroupVersion().String() + "/" + gvk.Kind, "pb": base64.StdEncoding.EncodeToString(pb.Bytes()), "json": json.RawMessage(j.Bytes())})
		}
	}
}
