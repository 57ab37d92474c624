import type { Command } from "commander";
import { optionsOf, withFormatOptions } from "../../cli/commands/options.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { type FormatOptions, printList } from "../../cli/output.ts";
import { readTextFile } from "../../cli/read-file.ts";
import { toCaseText } from "./finding-text.ts";
import { printFindings } from "./print-findings.ts";

interface LocalOptions extends FormatOptions {
	readonly config?: string;
	readonly runner: string;
}

/** Adds the commands that need no service. They test a pack on the machine where it is developed. */
export function addLocalCommands(workflow: Command, context: CliContext): void {
	const { definitions } = context;
	if (definitions === undefined) return;

	withLocalOptions(
		workflow
			.command("validate <file>")
			.description(
				"Tell what is wrong with a definition, without a service: actions are not looked at. Exit code 1 when it could not run.",
			),
	).action(async (file: string, _options, command) => {
		const options = optionsOf<LocalOptions>(command);
		const reader = await definitions(options);
		await printFindings(file, await reader.inspect(readTextFile(file)), options, context);
	});

	withLocalOptions(
		workflow
			.command("test <file> [cases]")
			.description(
				"Run a definition against given results of its actions, without a service. `cases`: default <file>.test.yaml, in the place of its .yaml. Exit code 1 when a case fails.",
			),
	).action(async (file: string, cases: string | undefined, _options, command) => {
		const options = optionsOf<LocalOptions>(command);
		const reader = await definitions(options);
		const results = await reader.test(readTextFile(file), readTextFile(cases ?? toCasesPath(file)));
		if (options.json || options.yaml) await printList({ items: results, total: results.length, limit: undefined }, [], options, context);
		else await write(context.stdout, toCaseText(results));
		if (results.some(({ problems }) => problems.length > 0)) throw new CliExit(1);
	});
}

function withLocalOptions(command: Command): Command {
	return withFormatOptions(command)
		.option("--runner <name>", "the runner that the definition is written for", "workflow")
		.option("--config <file>", "configuration with the runner; default ./svc.config.ts, or what comes with svc");
}

/** Returns the default path of the test cases, which is next to the definition. */
function toCasesPath(file: string): string {
	return file.replace(/\.(?:ya?ml|json)$/, "").concat(".test.yaml");
}
