export interface SourceEvent {
	readonly name: string;
	readonly data: string;
	/** Last `id:` seen so far; empty while there was none. */
	readonly id: string;
}

/** Events of a `text/event-stream` body. Comments and heartbeats call `onActivity` and give nothing. */
export async function* readEvents(body: ReadableStream<Uint8Array>, onActivity: () => void): AsyncGenerator<SourceEvent> {
	let name = "";
	let id = "";
	let data: string[] = [];
	let any = false;
	for await (const line of readLines(body, onActivity)) {
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

async function* readLines(body: ReadableStream<Uint8Array>, onActivity: () => void): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const piece of body) {
		onActivity();
		const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
	}
}
