import * as assert from "node:assert/strict";
import type { Command } from "commander";
import { test } from "uvu";
import { toPath } from "../../core/cli/commands/options.ts";
import { openProgram, readCommands } from "./commands.ts";

/** The commands of a program that do something, groups without an action of their own left out. */
function findCommands(command: Command): readonly Command[] {
	const below = command
		.createHelp()
		.visibleCommands(command)
		.filter((each) => each.name() !== "help" && command.commands.includes(each));
	const isRunnable = below.length === 0 || command.options.length > 0;
	return [...(command.parent !== null && isRunnable ? [command] : []), ...below.flatMap(findCommands)];
}

/** The words of the `svc` command in a line for a shell, up to a pipe or a redirection. */
function toWords(line: string): readonly string[] {
	const [, inner] = /\$\((svc [^)]*)\)/.exec(line) ?? [];
	const words = [...(inner ?? line).matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
		([, single, double, plain]) => single ?? double ?? plain ?? "",
	);
	const start = words.indexOf("svc");
	const end = words.findIndex((word, index) => index > start && ["|", "<", ">", ">>"].includes(word));
	return words.slice(start + 1, end === -1 ? undefined : end);
}

test("each command shows examples, and each of them is a valid call of it", async () => {
	const program = await openProgram();
	const helps = new Map((await readCommands()).map((help) => [help.name, help]));
	let called = "";
	for (const command of findCommands(program)) {
		command.action(() => {
			called = toPath(command);
		});
		command.exitOverride().configureOutput({ writeErr: () => {} });
	}
	for (const command of findCommands(program)) {
		const path = toPath(command);
		const { examples = [] } = helps.get(path.replace(/^svc /, "")) ?? {};
		assert.ok(examples.length > 0, `\`${path}\` has no examples: add them with withExamples`);
		for (const example of examples) {
			called = "";
			// A program can parse several times: it forgets the options of the call before.
			await assert.doesNotReject(program.parseAsync([...toWords(example)], { from: "user" }), `${path}: ${example}`);
			assert.equal(called, path, example);
		}
	}
});

/** Meanings of the short flags. Those with several have them in the program that `svc` is compatible with, never on the same command. */
const meanings: Readonly<Record<string, readonly string[]>> = {
	"-V": ["version"],
	"-a": ["async", "attr"],
	"-c": ["action", "convert", "trace-tag"],
	"-d": ["decrypt", "detail"],
	"-e": ["encrypt", "execution", "inherit-env"],
	"-g": ["trigger", "trigger-instance"],
	"-h": ["help"],
	"-j": ["json"],
	"-k": ["only-key"],
	"-l": ["showall", "ttl"],
	"-m": ["metadata"],
	"-n": ["hide-noop-triggers", "limit"],
	"-o": ["output"],
	"-p": ["pack", "password", "prefix"],
	"-r": ["resource-ref", "resource-type", "response", "role", "rule"],
	"-s": ["scope", "sort", "source", "system"],
	"-t": ["only-token", "token"],
	"-u": ["user"],
	"-w": ["write-password"],
	"-x": ["exclude-result"],
	"-y": ["yaml"],
};

test("a short flag has only the meanings in the table", async () => {
	const found = new Map<string, Set<string>>();
	const program = await openProgram();
	for (const command of [program, ...findCommands(program)]) {
		for (const { short, long } of command.createHelp().visibleOptions(command)) {
			if (short === undefined || long === undefined || short.startsWith("--")) continue;
			found.set(short, (found.get(short) ?? new Set()).add(long.slice(2)));
		}
	}
	const sorted = [...found].map(([short, names]) => [short, [...names].sort()] as const).sort(([a], [b]) => (a < b ? -1 : 1));
	assert.deepEqual(Object.fromEntries(sorted), meanings);
});

test("an option with a short flag has it everywhere", async () => {
	const program = await openProgram();
	const shorts = new Map<string, Set<string>>();
	for (const command of findCommands(program)) {
		for (const { short = "", long = "" } of command.options) shorts.set(long, (shorts.get(long) ?? new Set()).add(short));
	}
	// `-a` is `--async` where an execution is started; the others have a short flag only in the lists and traces of the reference.
	const mixed = [...shorts].filter(([, names]) => names.size > 1).map(([long]) => long);
	assert.deepEqual(mixed.sort(), ["--action", "--attr", "--execution", "--rule", "--trace-tag", "--trigger", "--trigger-instance"]);
});

test("descriptions are sentences in the imperative, texts of options are not sentences", async () => {
	const program = await openProgram();
	const homemade =
		/\b(?:whoever|somebody|nobody|what is|of one's own|look at|look whether|make (?:a|an|and)|tell|have the|behind|goes on|go on)\b/i;
	const walk = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(walk)];
	for (const command of walk(program)) {
		const path = toPath(command);
		if (command.description() !== "") assert.match(command.description(), /^[A-Z][a-z]+[, ][^]*[.]$/, path);
		assert.doesNotMatch(command.description(), homemade, path);
		for (const { flags, description } of command.options) {
			assert.match(description, /^(?:[a-z]|JSON|API|PEM)[^]*[^.]$/, `${path} ${flags}: ${description}`);
			assert.doesNotMatch(description, homemade, `${path} ${flags}`);
		}
	}
});

test.run();
