import { type Command, Option } from "commander";
import {
	type AddCommands,
	type CliContext,
	CliExit,
	type CommonOptions,
	type FormatOptions,
	openSession,
	optionsOf,
	type PackCheck,
	type PackOperations,
	printList,
	withCredentials,
	withExamples,
	withFormatOptions,
	write,
	writeReport,
} from "../../core/cli.ts";
import { isSvcError } from "../../core/contract/index.ts";
import { countErrors, toCheckText } from "./check-report.ts";
import { toTestReport } from "./test-report.ts";
import { watchPacks } from "./watch/watch-command.ts";

interface TestOptions {
	readonly reporter: "text" | "json" | "junit";
	readonly outputFile?: string;
	readonly only?: string;
	readonly config?: string;
}

interface WatchOptions extends CommonOptions {
	readonly config?: string;
	readonly register?: boolean;
}

interface CheckOptions extends FormatOptions {
	readonly config?: string;
	readonly strict?: boolean;
}

const configOption = [
	"--config <file>",
	"configuration file with the runners; default: ./svc.config.ts, otherwise the one of the package",
] as const;

/** Adds the commands for pack authors, which need no running service. Adds none if the CLI context has no `packs`. */
export const addPackAuthoringCommands: AddCommands = (parent, context) => {
	const { packs } = context;
	if (packs === undefined) return;
	const pack = parent.commands.find((command) => command.name() === "pack") ?? parent.command("pack");
	addCheck(pack, packs, context);
	addTest(pack, packs, context);
	addWatch(pack, packs, context);
	withExamples(pack, {
		check: ["svc pack check", "svc pack check ./packs/site --strict"],
		test: ["svc pack test ./packs/site", "svc pack test --reporter junit --output-file report.xml"],
		watch: ["svc pack watch ./packs/site --register"],
	});
};

function addCheck(pack: Command, packs: PackOperations, context: CliContext): void {
	withFormatOptions(
		pack
			.command("check [directories...]")
			.description("Check packs without a service. The exit code is 1 if the service would reject a file."),
	)
		.option(...configOption)
		.option("--strict", "exit with 1 for notes, too")
		.action(async (directories: string[], _options, command) => {
			const options = optionsOf<CheckOptions>(command);
			const checks = await interruptible(context, (signal) =>
				packs.check({ directories: orHere(directories), config: options.config, signal }),
			);
			await printChecks(checks, options, context);
		});
}

function addTest(pack: Command, packs: PackOperations, context: CliContext): void {
	pack
		.command("test [directories...]")
		.description("Run the tests of packs without a service. The exit code is 1 if a test fails.")
		.addOption(new Option("--reporter <format>", "format of the report").choices(["text", "json", "junit"]).default("text"))
		.option("--output-file <file>", "write the report to this file")
		.option("--only <text>", "run only the tests whose name or file contains this text")
		.option(...configOption)
		.action(async (directories: string[], { reporter, outputFile, only, config }: TestOptions) => {
			const tests = await interruptible(context, (signal) => packs.test({ directories: orHere(directories), only, config, signal }));
			const text = toTestReport(reporter, tests);
			if (outputFile === undefined) await write(context.stdout, text);
			else await writeReport(outputFile, text);
			if (tests.some(({ results }) => results.some(({ problems }) => problems.length > 0))) throw new CliExit(1);
		});
}

function addWatch(pack: Command, packs: PackOperations, context: CliContext): void {
	withCredentials(
		pack
			.command("watch [directories...]")
			.description("Check and test packs after each change, and print the differences, until Ctrl-C.")
			.option(...configOption),
	)
		.option("--register", "reload each pack without errors in the running service")
		.action(async (directories: string[], _options, command) => {
			const options = optionsOf<WatchOptions>(command);
			const reload = options.register === true ? await toReload(options, context) : undefined;
			await watchPacks(
				{ directories: orHere(directories), config: options.config, packs, ...(reload !== undefined && { reload }) },
				context,
			);
		});
}

/** Returns a function that makes the service reload a pack. The pack must be in a pack directory of the configuration of the service. */
async function toReload(options: CommonOptions, context: CliContext): Promise<(pack: string) => Promise<string>> {
	const api = await openSession(options, context);
	return async (pack) => {
		const counts = await api.read<Readonly<Record<string, number>>>("/packs/register", { method: "POST", body: { packs: [pack] } });
		const named = Object.entries(counts).filter(([, count]) => count > 0);
		return `reloaded: ${named.map(([kind, count]) => `${count} ${kind}`).join(", ")}`;
	};
}

async function printChecks(checks: readonly PackCheck[], options: CheckOptions, context: CliContext): Promise<void> {
	if (options.json || options.yaml) await printList({ items: checks, total: checks.length, limit: undefined }, [], options, context);
	else await write(context.stdout, toCheckText(checks, process.cwd()));
	const findings = checks.flatMap((check) => check.findings);
	if (countErrors(findings) > 0 || (options.strict === true && findings.length > 0)) throw new CliExit(1);
}

/** Returns the given directories, or the current directory if none is given. */
function orHere(directories: readonly string[]): readonly string[] {
	return directories.length === 0 ? ["."] : directories;
}

/**
 * Runs `work` until it ends or Ctrl-C aborts it. Throws `CliExit` with 130 after Ctrl-C, and with 2 if a directory or the configuration
 * cannot be used.
 */
async function interruptible<T>({ onInterrupt }: CliContext, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const controller = new AbortController();
	const leave = onInterrupt(() => controller.abort());
	try {
		return await work(controller.signal);
	} catch (error) {
		if (controller.signal.aborted) throw new CliExit(130);
		if (isSvcError(error, "SVC_INVALID") || isSvcError(error, "SVC_CONFIG")) throw new CliExit(2, error.message);
		throw error;
	} finally {
		leave();
	}
}
