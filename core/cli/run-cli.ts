import { Command, CommanderError } from "commander";
import { escapeControlCharactersInLines } from "../contract/control-characters.ts";
import { parseCommaList } from "./commands/comma-list.ts";
import { findFeature } from "./commands/command-feature.ts";
import { configOption } from "./commands/config-option.ts";
import { withExamples } from "./commands/examples.ts";
import { type AddCommands, toPath } from "./commands/options.ts";
import { type CliContext, CliExit, writePainted } from "./context.ts";
import { type FailedCommand, toFailure } from "./failure.ts";
import { type Paint, paintFor, toOutputCapabilities } from "./output-capabilities.ts";
import { type GlobalOptions, resolveSettings } from "./settings.ts";

/** Version of the `svc` command, and the commands of its features. */
export interface Program {
	/** Version of svc. */
	readonly version: string;
	/** Commands of the features. Not called if a service is started. */
	readonly commands: () => Promise<readonly AddCommands[]>;
}

/**
 * Runs the `svc` command. `argv` are the words after its name. Never throws or ends the process: the caller sets the exit code with which
 * the promise resolves.
 */
export async function runCli(argv: readonly string[], program: Program, given: Partial<CliContext> = {}): Promise<number> {
	const context: CliContext = { ...processContext(), ...given };
	// The listener is never removed: buffered output may fail after the command has ended.
	if (!context.stdout.listeners("error").includes(ignoreBrokenPipe)) context.stdout.on("error", ignoreBrokenPipe);
	let running: FailedCommand = {};
	try {
		const command = createProgram(program.version, context).hook("preAction", (_program, chosen) => {
			running = { words: toPath(chosen).split(" ").slice(1), feature: findFeature(chosen) };
		});
		// `serve` does not load the other commands, because they are a tenth of all modules and would delay the start.
		if (argv[0] !== "serve") await addOtherCommands(command, program, context);
		explainUsageErrors(command, paintFor(toOutputCapabilities(context.stderr, context.env)));
		// Sets an action of the program only for this option. If the program has none, commander lists the commands and suggests
		// corrections for mistyped ones.
		if (argv.includes("--print-config")) command.allowExcessArguments().action(() => printConfig(command.opts(), context));
		await command.parseAsync([...argv], { from: "user" });
		return 0;
	} catch (error) {
		// Commander has already printed the help, the version or the error.
		if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
		const { exitCode, text } = toFailure(error, running);
		const paint = paintFor(toOutputCapabilities(context.stderr, context.env));
		await writePainted(context.stderr, escapeControlCharactersInLines(text).replace(/^error:/, paint(["bold", "red"], "error:")));
		return exitCode;
	}
}

function processContext(): CliContext {
	return {
		stdout: process.stdout,
		stderr: process.stderr,
		stdin: process.stdin,
		env: process.env,
		onInterrupt(listener) {
			process.on("SIGINT", listener);
			return () => process.off("SIGINT", listener);
		},
	};
}

/** Ignores a closed pipe, as in `svc … | head`. That is not a failure; commands that follow a run end by themselves. */
function ignoreBrokenPipe(): void {}

/** Adds to the usage errors of all commands what to do next, such as the commands of a group. */
function explainUsageErrors(command: Command, paint: Paint): void {
	command.configureOutput({ outputError: (text, write) => write(`${paint("red", toUsageError(command, text.trimEnd()))}\n`) });
	for (const each of command.commands) explainUsageErrors(each, paint);
}

function toUsageError(command: Command, text: string): string {
	const path = toPath(command);
	const names = command
		.createHelp()
		.visibleCommands(command)
		.map((each) => each.name())
		.filter((name) => name !== "help");
	// A group with an action of its own, such as \`worker\`, takes an unknown command for a superfluous argument.
	const isCommandMissing = names.length > 0 && /^error: (?:unknown command|too many arguments)/.test(text);
	if (!isCommandMissing) return `${text}\nRun \`${path} --help\` for its arguments and options.`;
	if (command.parent === null) return `${text}\nRun \`svc --help\` for the list of commands.`;
	const error = text.replace(/^error: .*/, `error: unknown command '${command.args[0] ?? ""}' of \`${path}\``);
	return `${error}\nCommands of \`${path}\`: ${names.join(", ")}`;
}

/** Columns of the help if the output is not a terminal. */
const helpWidth = 80;

/** Always paints: commander removes the colours if the output has none. */
const paintHelp = paintFor({ hasColours: true });
const helpColours = {
	styleTitle: (title: string) => paintHelp("bold", title),
	styleCommandText: (text: string) => paintHelp("cyan", text),
	styleSubcommandTerm: (text: string) => paintHelp("cyan", text),
	styleOptionTerm: (text: string) => paintHelp("cyan", text),
};

const examplesText = `Examples:
  svc login admin
  svc run core.local cmd=uptime
  svc execution get last
  svc rule --help`;

function createProgram(version: string, context: CliContext): Command {
	const out = toOutputCapabilities(context.stdout, context.env);
	const errors = toOutputCapabilities(context.stderr, context.env);
	const program = new Command("svc")
		.description("Run actions, follow their output and manage an automation service.")
		.exitOverride()
		.configureOutput({
			writeOut: (text) => context.stdout.write(text),
			writeErr: (text) => context.stderr.write(text),
			getOutHasColors: () => out.hasColours,
			getErrHasColors: () => errors.hasColours,
			getOutHelpWidth: () => (out.isTerminal ? out.width : helpWidth),
			getErrHelpWidth: () => (errors.isTerminal ? errors.width : helpWidth),
		})
		.configureHelp({ showGlobalOptions: true, ...helpColours })
		.showSuggestionAfterError()
		.version(version, "-V, --version", "print the version")
		.helpOption("-h, --help", "show this help")
		.helpCommand("help [command]", "show the help of a command")
		.option("--url <address>", "base address of the service, without a port (SVC_BASE_URL)")
		.option("--api-url <address>", "address of the API (SVC_API_URL); default: http://127.0.0.1:9101, or the port of SVC_API_PORT")
		.option("--auth-url <address>", "address of the authentication component (SVC_AUTH_URL); default: derived from the API address")
		.option("--stream-url <address>", "address of the stream component (SVC_STREAM_URL); default: derived from the API address")
		.option("--api-version <version>", "version in the paths of the API (SVC_API_VERSION); default: v1")
		.option("--ca, --cacert <file>", "certificates (PEM) of your own authorities, trusted besides the usual ones (SVC_CACERT)")
		.option("--config-file <file>", "configuration file of this command (SVC_CONFIG_FILE); default: ~/.svc/config")
		.option("--skip-config", "ignore the configuration file (SVC_CLI_SKIP_CONFIG)")
		.option("--print-config", "print the effective configuration and exit with 3")
		.option("--debug", "print each request to stderr");
	addServeCommand(program, context);
	program.addHelpText("after", `\n${examplesText}`);
	return program;
}

async function addOtherCommands(program: Command, { commands }: Program, context: CliContext): Promise<void> {
	const { firstCommands, lastCommands } = await import("./core-commands.ts");
	for (const addCommands of [...firstCommands, ...(await commands()), ...lastCommands]) addCommands(program, context);
}

function addServeCommand(program: Command, { serve }: CliContext): void {
	if (serve === undefined) return;
	program
		.command("serve")
		.description("Run the service until it receives a signal to stop.")
		.option(...configOption)
		.option(
			"--only <parts>",
			"parts to run on this node, separated by commas: auth, api, stream, worker, rules, timers, sensors (SVC_NODE_ONLY)",
			(text: string, before: readonly string[] = []) => [...before, ...parseCommaList(text)],
		)
		.option("--open", "open the web page in the browser after the start")
		.action(async ({ config, only, open = false }: { config: string; only?: readonly string[]; open?: boolean }) => {
			const exitCode = await serve({ config, only, open });
			if (exitCode !== 0) throw new CliExit(exitCode);
		});
	withExamples(program, { serve: ["svc serve", "svc serve --config ./svc.config.ts --only api,worker"] });
}

async function printConfig(options: GlobalOptions, context: CliContext): Promise<never> {
	const { addresses, ca, username, configFile, cacheToken, debug } = resolveSettings(options, context.env);
	const { stringify } = await import("yaml");
	context.stdout.write(
		stringify({ config_file: configFile, ...addresses, cacert: ca ?? "", username: username ?? "", cache_token: cacheToken, debug }),
	);
	throw new CliExit(3);
}
