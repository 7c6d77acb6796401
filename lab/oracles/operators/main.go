package main

import (
	"net/http"
	"os"

	"k8s.io/client-go/rest"
)

func main() {
	switch os.Args[1] {
	case "serve":
		serve()
	case "informers":
		openTruth(os.Args[2])
		informers()
	case "runtime":
		openTruth(os.Args[2])
		controllers()
	case "user":
		user()
	}
}

func config() *rest.Config {
	c := &rest.Config{Host: "https://127.0.0.1:6443", TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: 20, Burst: 30}
	c.UserAgent = rest.DefaultKubernetesUserAgent()
	c.ContentType = "application/json"
	if out != nil {
		c.Wrap(func(next http.RoundTripper) http.RoundTripper { return tripper{next} })
	}
	return c
}
