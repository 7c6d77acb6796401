// Reads an export of traces (-o otlp) as OpenTelemetry's collector does, and prints how many spans and links it has: a second opinion on what kubeseq writes.
//
//	kubeseq messages -o otlp CAPTURE | go run otlp.go
//
// in a module that requires go.opentelemetry.io/collector/pdata (v1.71.0 was used).

package main

import (
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	links, events := 0, 0
	for i := 0; i < traces.ResourceSpans().Len(); i++ {
		scopes := traces.ResourceSpans().At(i).ScopeSpans()
		for j := 0; j < scopes.Len(); j++ {
			spans := scopes.At(j).Spans()
			for k := 0; k < spans.Len(); k++ {
				links += spans.At(k).Links().Len()
				events += spans.At(k).Events().Len()
			}
		}
	}
	fmt.Println(traces.ResourceSpans().Len(), "resources", traces.SpanCount(), "spans", links, "links", events, "events")
}
