import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type SensorContext, SvcError } from "../../../core/contract/index.ts";
import { type Launcher, runMarkName, toReturnCode } from "../../_process/index.ts";
import { pythonSource } from "../python-source.ts";
import { PrintedLines } from "./printed-lines.ts";
import { SensorConnection } from "./sensor-connection.ts";
import { type SensorRequest, toSensorLine } from "./sensor-request.ts";

const script = join(pythonSource, "run_sensor.py");
/** Maximum number of characters from the end of the sensor's output that the error message contains. */
const toldTail = 1_500;

export interface SensorProgram {
	readonly launcher: Launcher;
	/** Path of the interpreter, of the machine or of the pack's virtualenv. */
	readonly file: string;
	readonly env: Readonly<Record<string, string>>;
}

/** Runs a sensor in a separate process until it ends or the signal aborts. If it fails, rejects with the last lines of its output. */
export async function runSensor({ launcher, file, env }: SensorProgram, request: SensorRequest, context: SensorContext): Promise<void> {
	const dialogue = new SensorConnection(context);
	const [stdout, stderr] = [new PrintedLines(context.logger, "stdout"), new PrintedLines(context.logger, "stderr")];
	const failure = new AbortController();
	let problem: unknown;
	const stop = () => {
		dialogue.stop();
		for (const printed of [stdout, stderr]) printed.hurry();
	};
	context.signal.addEventListener("abort", stop, { once: true });
	try {
		const end = await launcher.run({
			...{ file, cwd: request.packDirectory },
			// The mark identifies processes that the sensor starts, so that they are found and ended, even in another session.
			env: { ...env, [runMarkName]: randomUUID() },
			args: ["-u", "-X", "utf8", script],
			stdin: toSensorLine(request),
			signal: AbortSignal.any([context.signal, failure.signal]),
			killGrace: request.settings.grace,
			onStdout: (text) => stdout.take(text),
			onStderr: (text) => stderr.take(text),
			onReport: (text) => dialogue.take(text),
			onInput: (write) =>
				void dialogue.begin(write).catch((error: unknown) => {
					problem = error;
					failure.abort();
				}),
		});
		if (context.signal.aborted) return;
		if (problem !== undefined) throw problem;
		const code = toReturnCode(end);
		if (code !== 0) throw new SvcError("SVC_RUNNER", `it ended with exit code ${code}${toTail(stderr.tail)}`);
	} finally {
		context.signal.removeEventListener("abort", stop);
		await dialogue.end();
		for (const printed of [stdout, stderr]) printed.end();
	}
}

/** Returns the last characters of the output, starting at the beginning of a line. */
function toTail(text: string): string {
	const trimmed = text.trim();
	if (trimmed === "") return "";
	const cut = trimmed.slice(-toldTail);
	return `: ${cut.length < trimmed.length ? cut.slice(cut.indexOf("\n") + 1) : cut}`;
}
