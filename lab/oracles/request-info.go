// What the API server's own code says to the requests on standard input ("METHOD TARGET" a line):
// fixtures/objects/request-info.jsonl.
//
//	go get k8s.io/apiserver@v0.34.4 && go run request-info.go < request-info.txt
package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

func main() {
	f := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		line := in.Text()
		method, target, _ := strings.Cut(line, " ")
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + target + " HTTP/1.1\r\nHost: x\r\n\r\n")))
		row := map[string]any{"method": method, "target": target}
		if err != nil {
			row["error"] = err.Error()
			out.Encode(row)
			continue
		}
		info, err := f.NewRequestInfo(req)
		if err != nil {
			row["error"] = err.Error()
			out.Encode(row)
			continue
		}
		row["verb"] = info.Verb
		if info.IsResourceRequest {
			row["apiGroup"], row["apiVersion"], row["resource"] = info.APIGroup, info.APIVersion, info.Resource
			row["subresource"], row["namespace"], row["name"] = info.Subresource, info.Namespace, info.Name
		} else {
			row["path"] = info.Path
		}
		out.Encode(row)
	}
}
