import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What a command has written of itself. */
export interface CommandWords {
	/** How often it has begun. */
	readonly begun: number;
	/** Whether it came to its end by itself. */
	readonly isEnded: boolean;
}

export const silence: CommandWords = { begun: 0, isEnded: false };

/** @param ledgers directory with a file for each engine, called like it; each line is the id of an execution, and `begin` or `end` */
export async function readLedger(ledgers: string, engine: string): Promise<ReadonlyMap<string, CommandWords>> {
	const words = new Map<string, CommandWords>();
	const written = await readFile(join(ledgers, engine), "utf8").catch(() => "");
	for (const line of written.split("\n")) {
		const [id = "", word] = line.split(" ");
		const { begun, isEnded } = words.get(id) ?? silence;
		if (word === "begin") words.set(id, { begun: begun + 1, isEnded });
		else if (word === "end") words.set(id, { begun, isEnded: true });
	}
	return words;
}
