import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { ServiceUnderTest } from "../../core/testing/http/service.test-support.ts";

/** Ask with a JSON body; the answer, which must be a success. */
export async function send(service: ServiceUnderTest, path: string, body: unknown): Promise<Record<string, unknown>> {
	const response = await service.ask(path, { method: "POST", body: JSON.stringify(body) });
	const answer = await response.text();
	if (!response.ok) throw new Error(`${path}: ${response.status} ${answer}`);
	return JSON.parse(answer) as Record<string, unknown>;
}

/** The value of a time series; 0 where there is none. */
export function readSeries(exposition: string, series: string): number {
	const line = exposition.split("\n").find((one) => one.startsWith(`${series} `));
	return line === undefined ? 0 : Number(line.slice(series.length + 1));
}

/** Ask again until it is so. */
export async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
	for (;;) {
		const found = await ask();
		if (found !== undefined) return found;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

/** What promtool says of an input; its exit code and everything it printed. */
export async function promtool(args: readonly string[], input = ""): Promise<{ readonly code: number; readonly said: string }> {
	const child = spawn("promtool", args);
	const [out, error, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "close") as Promise<[number]>,
		new Promise<void>((resolve) => child.stdin.end(input, () => resolve())),
	]);
	return { code, said: out + error };
}
