// What a Go programmer writes to read HTTP/1.1 of a capture: gopacket reassembles, net/http parses, one line a message.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/google/gopacket/tcpassembly"
	"github.com/google/gopacket/tcpassembly/tcpreader"
)

// server is the port of the API server in the capture.
const server = "8080"

// cooked is the length of the header of LINUX_SLL2, which gopacket does not know.
const cooked = 20

type factory struct {
	lines chan<- string
	open  *sync.WaitGroup
}

func (f factory) New(_, ports gopacket.Flow) tcpassembly.Stream {
	stream := tcpreader.NewReaderStream()
	f.open.Add(1)
	go f.read(&stream, ports.Dst().String() == server)
	return &stream
}

func (f factory) read(stream *tcpreader.ReaderStream, isRequests bool) {
	defer f.open.Done()
	defer tcpreader.DiscardBytesToEOF(stream)
	in := bufio.NewReader(stream)
	for {
		if isRequests {
			request, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			n, _ := io.Copy(io.Discard, request.Body)
			f.lines <- fmt.Sprintf("%s %s %d", request.Method, request.URL, n)
			continue
		}
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, response.Body)
		f.lines <- fmt.Sprintf("%s %d", response.Status, n)
	}
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	packets, err := pcapgo.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		log.Fatal(err)
	}
	lines := make(chan string, 1024)
	written := make(chan struct{})
	go func() {
		out := bufio.NewWriter(os.Stdout)
		for line := range lines {
			fmt.Fprintln(out, line)
		}
		out.Flush()
		close(written)
	}()
	var open sync.WaitGroup
	assembler := tcpassembly.NewAssembler(tcpassembly.NewStreamPool(factory{lines, &open}))
	var flushed time.Time
	for {
		data, about, err := packets.ReadPacketData()
		if err != nil {
			break
		}
		packet := gopacket.NewPacket(data[cooked:], layers.LayerTypeIPv4, gopacket.Lazy)
		tcp, ok := packet.TransportLayer().(*layers.TCP)
		if !ok {
			continue
		}
		assembler.AssembleWithTimestamp(packet.NetworkLayer().NetworkFlow(), tcp, about.Timestamp)
		if about.Timestamp.Sub(flushed) > time.Minute {
			assembler.FlushOlderThan(about.Timestamp.Add(-2 * time.Minute))
			flushed = about.Timestamp
		}
	}
	assembler.FlushAll()
	open.Wait()
	close(lines)
	<-written
}
