import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface LineTest {
	readonly clients: number;
	readonly lines: number;
	/** Milliseconds between lines. */
	readonly interval: number;
	/** What a client sees once it will miss no line. */
	readonly ready: string;
}

/** Where clients find the lines, and what follows their end. */
export interface LineSource {
	connect(): Promise<IncomingMessage>;
	stop(): Promise<void>;
}

/**
 * Let a process print timed lines to many clients. `start` gets the command line and sees to its being run.
 * Resolves with the milliseconds from written to received, for every line and client.
 */
export async function measureLines(test: LineTest, start: (command: string) => Promise<LineSource>): Promise<number[]> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const startFile = join(directory, "start");
	const script = fileURLToPath(new URL("../processes/print-lines.mjs", import.meta.url));
	const source = await start(
		`exec ${[process.execPath, script, startFile, test.lines, test.interval].map((word) => `'${word}'`).join(" ")}`,
	);
	try {
		const readings = await Promise.all(Array.from({ length: test.clients }, async () => readLines(await source.connect(), test.ready)));
		await Promise.all(readings.map(({ ready }) => ready));
		await writeFile(startFile, "");
		const latencies = await Promise.all(readings.map(({ done }) => done));
		const lost = latencies.findIndex(({ length }) => length !== test.lines);
		if (lost !== -1) throw new Error(`client ${lost} received ${latencies[lost]?.length} of ${test.lines} lines`);
		return latencies.flat();
	} finally {
		await source.stop();
		await rm(directory, { recursive: true, force: true });
	}
}

function readLines(response: IncomingMessage, ready: string): { readonly ready: Promise<void>; readonly done: Promise<number[]> } {
	const pattern = /written (\d+)\\n/g;
	const latencies: number[] = [];
	let rest = "";
	response.setEncoding("latin1");
	const seen = new Promise<void>((resolve) => {
		response.on("data", (piece: string) => {
			const now = process.hrtime.bigint();
			const text = rest + piece;
			let read = 0;
			pattern.lastIndex = 0;
			for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
				read = pattern.lastIndex;
				latencies.push(Number(now - BigInt(match[1] ?? 0)) / 1e6);
			}
			if (text.includes(ready)) resolve();
			// Longer than what the pattern matches, so that nothing is lost where pieces meet.
			rest = text.slice(Math.max(read, text.length - 40));
		});
	});
	const done = new Promise<number[]>((resolve, reject) => {
		response.on("error", reject).on("end", () => resolve(latencies));
	});
	return { ready: seen, done };
}
