import { pick, type Random } from "./random.test-support.ts";

/** A shell command and exactly what it writes. */
export interface Script {
	readonly cmd: string;
	readonly stdout: string;
	readonly stderr: string;
}

interface Piece {
	readonly cmd: string;
	readonly text: string;
}

const words = ["plain", "ä€🙂", "tab\tbed", "  spaces  ", "%s \\n", "data: 1", "\u2028", "\r"];
const numbers = (last: number) => Array.from({ length: last }, (_, index) => `${index + 1}\n`).join("");
const print = (text: string): Piece => ({ cmd: `printf %s '${text}'`, text });

const pieces: readonly ((random: Random) => Piece)[] = [
	(random) => print(`${pick(random, words)} ${random(1_000)}\n`),
	(random) => print(pick(random, words)),
	(random) => print(`${pick(random, words)}\n`.repeat(1 + random(5))),
	// A character that arrives in two halves.
	(random) => ({ cmd: `printf '\\360\\237'; sleep 0.0${random(4)}; printf '\\231\\202'`, text: "🙂" }),
	(random) => toNumbers(random(random(10) === 0 ? 20_000 : 300)),
	(random) => toLongLine(1 + random(70_000)),
	() => print("\n\n"),
];

/** A command that writes pieces of all kinds to both channels, some of them after a pause. */
export function createScript(random: Random): Script {
	const commands: string[] = ["true"];
	const written = { stdout: "", stderr: "" };
	for (let count = random(12); count > 0; count -= 1) {
		const { cmd, text } = pick(random, pieces)(random);
		const channel = random(3) === 0 ? "stderr" : "stdout";
		written[channel] += text;
		commands.push(channel === "stdout" ? cmd : `{ ${cmd}; } >&2`);
		if (random(4) === 0) commands.push(`sleep 0.0${random(6)}`);
	}
	return { cmd: commands.join("; "), ...written };
}

function toNumbers(last: number): Piece {
	return { cmd: `seq 1 ${last}`, text: numbers(last) };
}

function toLongLine(length: number): Piece {
	return { cmd: `printf %0${length}d 7`, text: "7".padStart(length, "0") };
}
