import type { Command } from "commander";
import { paintFor } from "../output-capabilities.ts";

/** Always paints: commander removes the colours if the output has none. */
const title = paintFor({ hasColours: true })("bold", "Examples:");

/**
 * Adds examples to the help of commands of a group. Keys are the names of the commands, values are lines that a user can type. Throws if the
 * group does not have a command.
 */
export function withExamples(group: Command, examples: Readonly<Record<string, readonly string[]>>): void {
	for (const [name, lines] of Object.entries(examples)) {
		const command = group.commands.find((each) => each.name() === name);
		if (command === undefined) throw new Error(`withExamples: "${group.name()}" does not have the command "${name}"`);
		command.addHelpText("after", `\n${title}\n${lines.map((line) => `  ${line}`).join("\n")}`);
	}
}
