export interface SourceEvent {
	readonly name: string;
	readonly data: string;
	/** Last `id:` seen so far; empty while there was none. */
	readonly id: string;
}

export interface ReadOptions {
	/** Called for whatever arrives, comments and heartbeats included. */
	readonly onActivity: () => void;
	/** The one the request was made with: its abort ends the reading with its reason. */
	readonly signal: AbortSignal;
}

/** Events of a `text/event-stream` body. Comments and heartbeats give nothing. */
export async function* readEvents(body: ReadableStream<Uint8Array>, options: ReadOptions): AsyncGenerator<SourceEvent> {
	let name = "";
	let id = "";
	let data: string[] = [];
	let any = false;
	for await (const line of readLines(body, options)) {
		if (line === "") {
			if (any) yield { name: name || "message", data: data.join("\n"), id };
			name = "";
			data = [];
			any = false;
			continue;
		}
		const [field, value] = splitField(line);
		if (field === "event") name = value;
		else if (field === "data") data.push(value);
		else if (field === "id") id = value;
		any ||= field === "event" || field === "data";
	}
}

function splitField(line: string): [field: string, value: string] {
	const colon = line.indexOf(":");
	if (colon < 0) return [line, ""];
	return [line.slice(0, colon), line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1)];
}

async function* readLines(body: ReadableStream<Uint8Array>, options: ReadOptions): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const piece of readPieces(body, options.signal)) {
		options.onActivity();
		const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
	}
}

/** On Node 20 a reading stays pending for ever when the request is aborted just before the end of its body: it is canceled here. */
async function* readPieces(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const reader = body.getReader();
	const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
	signal.addEventListener("abort", cancel, { once: true });
	try {
		for (;;) {
			signal.throwIfAborted();
			const { done, value } = await reader.read();
			if (done) break;
			yield value;
		}
		signal.throwIfAborted();
	} finally {
		signal.removeEventListener("abort", cancel);
		cancel();
	}
}
