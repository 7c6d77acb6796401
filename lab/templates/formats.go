// Prints the format strings of Go sources, one JSON object a line: the file, the function that is called, the format and
// the source text of each argument behind it. The other scripts of this folder make templates and the dictionary of them:
//
//	go run formats.go FOLDER... > formats.jsonl
//
// Files below FOLDER that are tests, generated or examples are left out.
package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

type format struct {
	File   string   `json:"file"`
	Call   string   `json:"call"`
	Format string   `json:"format"`
	Args   []string `json:"args"`
}

// Functions whose texts end in errors, Events or conditions. Logs are for the operator's files alone, and left out.
var says = regexp.MustCompile(`(?i)(errorf?|errors?\.New|Newf?|Eventf?|Sprintf|Wrapf?|WithMessagef?|NewStatus|AsStatus|record\w*|Invalid|Forbidden|Required|NotSupported|Status|Reason|Message|Condition\w*|Append\w*|Fprintf|New\w*)$`)
// Calls that have a reason beside the message: one word in camel case.
var reasoned = regexp.MustCompile(`(?i)event|condition|status|reason|update`)
var reason = regexp.MustCompile(`^[A-Z][a-z]+[A-Za-z]{2,40}$`)
var plain = regexp.MustCompile(`\b[a-z]{2,16}\b`)
var skipped = regexp.MustCompile(`_test\.go$|zz_generated|/testdata/|/test/|/testing/|\.pb\.go$|/fake|/examples?/|_windows\.go$|kubeadm|/e2e/`)

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, root := range os.Args[1:] {
		filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || skipped.MatchString(path) {
				return nil
			}
			name, _ := filepath.Rel(filepath.Dir(root), path)
			read(path, name, out)
			return nil
		})
	}
}

func read(path, name string, out *json.Encoder) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return
	}
	text := func(node ast.Node) string {
		var b bytes.Buffer
		printer.Fprint(&b, files, node)
		return b.String()
	}
	// English of the field: which words there are, not what is said.
	words := map[string]bool{}
	for _, group := range file.Comments {
		for _, word := range plain.FindAllString(strings.ToLower(group.Text()), -1) {
			words[word] = true
		}
	}
	if len(words) > 0 {
		list := []string{}
		for word := range words {
			list = append(list, word)
		}
		sort.Strings(list)
		out.Encode(format{name, "comment", strings.Join(list, " "), []string{}})
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch at := node.(type) {
		case *ast.CallExpr:
			called := text(at.Fun)
			if len(called) > 80 || !says.MatchString(called) {
				return true
			}
			for i, arg := range at.Args {
				if said, ok := literal(arg); ok && reasoned.MatchString(called) && reason.MatchString(said) {
					out.Encode(format{name, "const", said, []string{}})
				}
				if said, ok := literal(arg); ok && (strings.Contains(said, " ") || strings.HasSuffix(called, "errors.New")) {
					args := []string{}
					for _, rest := range at.Args[i+1:] {
						args = append(args, text(rest))
					}
					out.Encode(format{name, called, said, args})
				}
			}
		case *ast.ValueSpec:
			for _, value := range at.Values {
				// Reasons and values of enums are single words.
				if said, ok := literal(value); ok && said != "" {
					out.Encode(format{name, "const", said, []string{}})
				}
			}
		case *ast.AssignStmt:
			for _, value := range at.Rhs {
				if said, ok := literal(value); ok && strings.Contains(said, " ") {
					out.Encode(format{name, "=", said, []string{}})
				}
			}
		case *ast.KeyValueExpr:
			if said, ok := literal(at.Value); ok && strings.Contains(said, " ") {
				out.Encode(format{name, "field", said, []string{}})
			}
		}
		return true
	})
}

// A string literal, or several with + between.
func literal(node ast.Expr) (string, bool) {
	switch at := node.(type) {
	case *ast.BasicLit:
		if at.Kind != token.STRING {
			return "", false
		}
		said, err := strconv.Unquote(at.Value)
		return said, err == nil
	case *ast.BinaryExpr:
		left, okLeft := literal(at.X)
		right, okRight := literal(at.Y)
		return left + right, okLeft && okRight && at.Op == token.ADD
	}
	return "", false
}
