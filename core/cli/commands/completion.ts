import { Argument, type Command } from "commander";
import { hasControlCharacters } from "../../contract/control-characters.ts";
import { type Candidate, complete } from "../completion/completer.ts";
import type { NameSource } from "../completion/name-source.ts";
import { shellScripts } from "../completion/shell-scripts.ts";
import { type CliContext, write } from "../context.ts";
import { openSession } from "../session.ts";
import { withExamples } from "./examples.ts";
import type { AddCommands } from "./options.ts";

/** Milliseconds that a completion waits for the service after the user has pressed Tab. */
const completionTimeoutMs = 1_500;
/** Names that need no quoting. Other names are not offered, because the shell would interpret their characters. */
const plain = /^[\w][\w.@/-]*$/;

/** Adds `completion`, which prints the script for a shell, and the hidden `complete`, which this script calls. */
export const addCompletionCommand: AddCommands = (parent, context) => {
	parent
		.command("completion")
		.description("Print a shell script that completes commands, options and record names.")
		.addArgument(new Argument("<shell>", "name of the shell").choices([...shellScripts.keys()]))
		.addHelpText(
			"after",
			'\nTo enable completion, add eval "$(svc completion bash)" to ~/.bashrc, or eval "$(svc completion zsh)" to ~/.zshrc.',
		)
		.action((shell: string) => write(context.stdout, shellScripts.get(shell) ?? ""));
	withExamples(parent, {
		completion: ['eval "$(svc completion bash)"', "svc completion fish | source"],
	});

	parent
		.command("complete [words...]", { hidden: true })
		.helpOption(false)
		.allowUnknownOption()
		.action((words: readonly string[]) => printCandidates(parent, words, context));
};

async function printCandidates(program: Command, words: readonly string[], context: CliContext): Promise<void> {
	const { candidates, names } = complete(program, words);
	const typed = words.at(-1) ?? "";
	const found = names === undefined ? [] : await ask(names, context);
	const fitting = found.filter((name) => plain.test(name) && name.startsWith(typed));
	const all: readonly Candidate[] = [...candidates, ...fitting.map((word) => ({ word, description: "" }))];
	const lines = all.map(({ word, description }) => `${word}\t${hasControlCharacters(description) ? "" : description}\n`);
	await write(context.stdout, lines.join(""));
}

/** Returns the names in a list of the API. Returns none if the service does not answer or rejects the credentials. */
async function ask({ path, name, query = {} }: NameSource, context: CliContext): Promise<readonly string[]> {
	try {
		const api = await openSession({}, context, { signIn: false });
		const { items } = await api.list<Readonly<Record<string, unknown>>>(path, query, { signal: AbortSignal.timeout(completionTimeoutMs) });
		return items.map((record) => record[name]).filter((value) => typeof value === "string");
	} catch {
		return [];
	}
}
