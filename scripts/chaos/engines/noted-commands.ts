import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findCommand } from "../../../core/testing/test-requirements.ts";

/** A directory with commands of the machine, where it is noted with what some of them are called. */
export class NotedCommands {
	readonly directory: string;

	private constructor(directory: string) {
		this.directory = directory;
	}

	static async create(
		directory: string,
		{ noted, others }: { readonly noted: readonly string[]; readonly others: readonly string[] },
	): Promise<NotedCommands> {
		await mkdir(directory);
		for (const name of others) await symlink(findCommand(name) ?? name, join(directory, name));
		for (const name of noted) {
			// Noted before it is done: what is killed in between was asked for.
			const script = `#!/bin/sh\necho "${name} $*" >> '${directory}/noted'\nexec ${findCommand(name)} "$@"\n`;
			await writeFile(join(directory, name), script, { mode: 0o700 });
		}
		return new NotedCommands(directory);
	}

	/** A line for each call. */
	async noted(): Promise<readonly string[]> {
		const text = await readFile(join(this.directory, "noted"), "utf8").catch(() => "");
		return text.split("\n").filter((line) => line !== "");
	}
}
