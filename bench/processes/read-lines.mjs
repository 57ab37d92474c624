// The limit that recording output is held against: Node reading a process's pipe as text, line by line.
import { spawn } from "node:child_process";

const { command } = JSON.parse(process.argv[2]);
const started = performance.now();
const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
let rest = "";
let lines = 0;
let bytes = 0;
child.stdout.setEncoding("utf8");
child.stdout.on("data", (text) => {
	const parts = (rest + text).split("\n");
	rest = parts.pop();
	for (const line of parts) bytes += line.length + 1;
	lines += parts.length;
});
child.on("close", () => {
	process.stdout.write(`${JSON.stringify({ bytes: bytes + rest.length, lines, seconds: (performance.now() - started) / 1000 })}\n`);
});
