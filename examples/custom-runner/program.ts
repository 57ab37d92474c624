import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { defineRunner, type OutputType } from "svc-automation/contract";

/** Runs a program. To end it, sends TERM to its process group, and KILL after `grace` milliseconds. */
export const program = defineRunner(
	"program",
	({ grace = 2_000 }: { grace?: number }) => ({
		description: "Runs a program without a shell.",
		parameters: { command: { type: "array", required: true, description: "The program and its arguments." } },
		capabilities: { streaming: true, cancellation: true },
		async run({ runnerParameters: { command }, environment, emit, captured, signal }) {
			if (signal.aborted) return { succeeded: false, result: {} };
			const [name = "", ...words] = command.map(String);
			const env = { PATH: process.env["PATH"], ...environment };
			const child = spawn(name, words, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
			const kill = (by: NodeJS.Signals) => {
				try {
					process.kill(-(child.pid ?? Number.NaN), by);
				} catch {
					// The process group has ended, or was not started.
				}
			};
			const end = () => {
				kill("SIGTERM");
				const timer = setTimeout(kill, grace, "SIGKILL");
				child.once("close", () => clearTimeout(timer));
			};
			signal.addEventListener("abort", end);
			child.once("close", () => signal.removeEventListener("abort", end));
			const forward = async (type: OutputType, stream: Readable) => {
				for await (const text of stream.setEncoding("utf8")) await emit(type, text).catch(() => kill("SIGKILL"));
			};
			await Promise.all([once(child, "close"), forward("stdout", child.stdout), forward("stderr", child.stderr)]);
			return { succeeded: child.exitCode === 0, result: { exit_code: child.exitCode, stdout: captured("stdout").text } };
		},
	}),
	{ contract: 1 },
);
