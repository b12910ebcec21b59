// Program peer-client-go measures client-go. Its command line and what it prints are those of the programs in Rust, as
// told in ../harness/src/lib.rs; one operation is its own:
//
//	translate    decodes JSON and writes protobuf to the path with .json replaced by .go.protobuf
//
// It must not know what it is compared with.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// An input is a file and the kind of its items.
type input struct {
	kind string
	path string
	body []byte
}

// A sample is what a round took, in nanoseconds. Nothing is freed by hand in Go: the collector's work is within.
type sample struct {
	Wall int64 `json:"wall_ns"`
	CPU  int64 `json:"cpu_ns"`
	Free int64 `json:"free_ns"`
}

type total struct {
	Items int `json:"items"`
	Bytes int `json:"bytes"`
}

type weight struct {
	Items           int   `json:"items"`
	LiveBytes       int64 `json:"live_bytes"`
	LiveAllocations int64 `json:"live_allocations"`
	Allocations     int64 `json:"allocations"`
	ResidentBytes   int64 `json:"resident_bytes"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 4 {
		return fmt.Errorf("usage: OP FORMAT ROUNDS KIND=FILE...")
	}
	op, format := args[0], args[1]
	rounds, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	codec, err := newCodec(format)
	if err != nil {
		return err
	}
	var inputs []input
	for _, arg := range args[3:] {
		kind, path, found := strings.Cut(arg, "=")
		if !found {
			return fmt.Errorf("a file is given as KIND=PATH, not %q", arg)
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		inputs = append(inputs, input{kind, path, body})
	}
	switch op {
	case "decode":
		return timeDecode(codec, rounds, inputs)
	case "encode":
		return timeEncode(codec, rounds, inputs)
	case "memory":
		return weigh(codec, inputs)
	case "translate":
		return translate(codec, inputs)
	}
	return fmt.Errorf("this program has no operation %q", op)
}

func timeDecode(codec *codec, rounds int, inputs []input) error {
	var total total
	for range rounds {
		started := now()
		lists, err := codec.decodeAll(inputs)
		if err != nil {
			return err
		}
		print(started.sample())
		total.Items = count(lists)
	}
	for _, input := range inputs {
		total.Bytes += len(input.body)
	}
	return print(total)
}

func timeEncode(codec *codec, rounds int, inputs []input) error {
	lists, err := codec.decodeAll(inputs)
	if err != nil {
		return err
	}
	total := total{Items: count(lists)}
	for range rounds {
		total.Bytes = 0
		started := now()
		bodies := make([][]byte, len(lists))
		for i, list := range lists {
			if bodies[i], err = codec.encode(inputs[i].kind, list); err != nil {
				return err
			}
		}
		print(started.sample())
		for _, body := range bodies {
			total.Bytes += len(body)
		}
	}
	return print(total)
}

func weigh(codec *codec, inputs []input) error {
	residentBefore, err := resident()
	if err != nil {
		return err
	}
	before := collected()
	lists, err := codec.decodeAll(inputs)
	if err != nil {
		return err
	}
	residentAfter, err := resident()
	if err != nil {
		return err
	}
	after := collected()
	defer runtime.KeepAlive(inputs)
	defer runtime.KeepAlive(lists)
	return print(weight{
		Items:           count(lists),
		LiveBytes:       int64(after.HeapAlloc - before.HeapAlloc),
		LiveAllocations: int64(after.HeapObjects - before.HeapObjects),
		Allocations:     int64(after.Mallocs - before.Mallocs),
		ResidentBytes:   residentAfter - residentBefore,
	})
}

func translate(codec *codec, inputs []input) error {
	other, err := newCodec("protobuf")
	if err != nil {
		return err
	}
	for _, input := range inputs {
		list, err := codec.decode(input.kind, input.body)
		if err != nil {
			return err
		}
		body, err := other.encode(input.kind, list)
		if err != nil {
			return err
		}
		path := strings.TrimSuffix(input.path, ".json") + ".go.protobuf"
		if err := os.WriteFile(path, body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func print(value any) error {
	return json.NewEncoder(os.Stdout).Encode(value)
}

// An instant is a point in time by both clocks.
type instant struct {
	wall time.Time
	cpu  int64
}

func now() instant {
	return instant{time.Now(), cpu()}
}

func (start instant) sample() sample {
	return sample{Wall: time.Since(start.wall).Nanoseconds(), CPU: cpu() - start.cpu}
}

// cpu is what the process has used, the collector included.
func cpu() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// collected is the state of the heap with all garbage gone; the second run takes what the first one's finalizers left.
func collected() runtime.MemStats {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats
}

// resident is the resident size of the process in bytes.
func resident() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kilobytes * 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no VmRSS")
}
