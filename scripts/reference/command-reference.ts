import { type CommandHelp, type CommandOption, readCommands, readGlobalOptions } from "./commands.ts";

/** `docs/reference/cli-options.md`, made from the help of the program so that the two cannot differ. */
export async function toCommandReference(): Promise<string> {
	return formatCommands(await readCommands(), await readGlobalOptions());
}

/** The page for these commands. */
export function formatCommands(commands: readonly CommandHelp[], globals: readonly CommandOption[]): string {
	const sections = commands.map(({ usage, description, options, examples }) => {
		const shown = options.filter(({ flags }) => !flags.includes("--help"));
		const table = shown.length === 0 ? "" : `\n${toTable(shown)}`;
		const shownExamples = examples.length === 0 ? "" : `\n\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n`;
		return `\n## svc ${toTitle(usage)}\n\n${toCell(description)}\n${shownExamples}${table}`;
	});
	return `${introduction}\n${toTable(globals)}${sections.join("")}`;
}

const introduction = `# Options of commands

<!-- Made by \`npm run docs:update\` from the commands. Do not edit. -->

Every command with each option. [The \`svc\` command](cli.md) says what they are for. \`-h\` shows the options of one command, and these go with
all of them:
`;

function toTable(options: readonly CommandOption[]): string {
	return `| Option | Meaning |\n|---|---|\n${options.map(({ flags, meaning }) => `| \`${toCell(flags)}\` | ${toCell(meaning)} |\n`).join("")}`;
}

/** Words alone: what stands behind them is in the table, and in the arguments of the usage. */
function toTitle(usage: string): string {
	return usage.replace(" [options]", "").replaceAll("<", "\\<");
}

function toCell(text: string): string {
	return text.replaceAll("|", "\\|");
}
