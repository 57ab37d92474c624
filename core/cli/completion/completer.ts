import type { Command, Option } from "commander";
import { findNames, type NameSource } from "./name-source.ts";

/** A word that may complete the command line. */
export interface Candidate {
	readonly word: string;
	readonly description: string;
}

/** Completions for a position of the command line. */
export interface Completion {
	readonly candidates: readonly Candidate[];
	/** List of the API whose names are further candidates. */
	readonly names: NameSource | undefined;
}

/** Returns the completions of the last word, which is incomplete or empty. `words` are the words after `svc`. */
export function complete(program: Command, words: readonly string[]): Completion {
	const typed = words.at(-1) ?? "";
	const place = findPlace(program, words.slice(0, -1));
	return { candidates: toCandidates(place, typed).filter(({ word }) => word.startsWith(typed)), names: toNames(place, typed) };
}

interface Place {
	readonly command: Command;
	/** Number of preceding words of the command that are not options. */
	readonly position: number;
	/** Option whose value is at this position. */
	readonly option: Option | undefined;
	/** True after `--`, where no word is an option. */
	readonly isBehindOptions: boolean;
}

function findPlace(program: Command, words: readonly string[]): Place {
	let command = program;
	let position = 0;
	let option: Option | undefined;
	for (const [index, word] of words.entries()) {
		if (option !== undefined) option = undefined;
		else if (word === "--") return { command, position: position + words.length - index - 1, option: undefined, isBehindOptions: true };
		else if (word.startsWith("-")) option = takesNext(findOption(command, word));
		else {
			const found = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
			if (found === undefined) position += 1;
			else [command, position] = [found, 0];
		}
	}
	return { command, position, option, isBehindOptions: false };
}

function findOption(command: Command, word: string): Option | undefined {
	for (let each: Command | null = command; each !== null; each = each.parent) {
		const found = each.options.find(({ short, long }) => word === short || word === long);
		if (found !== undefined) return found;
	}
	return undefined;
}

function takesNext(option: Option | undefined): Option | undefined {
	return option?.required || option?.optional ? option : undefined;
}

function toCandidates({ command, position, option, isBehindOptions }: Place, typed: string): Candidate[] {
	if (option !== undefined) return toChoices(option.argChoices);
	if (typed.startsWith("-") && !isBehindOptions) return toOptions(command);
	const help = command.createHelp();
	const commands = position > 0 || command.commands.length === 0 ? [] : help.visibleCommands(command);
	const { registeredArguments: takes } = command;
	return [
		...commands.map((each) => ({ word: each.name(), description: each.description() })),
		...toChoices((takes[position] ?? takes.filter(({ variadic }) => variadic)[0])?.argChoices),
	];
}

function toChoices(choices: readonly string[] = []): Candidate[] {
	return choices.map((word) => ({ word, description: "" }));
}

function toOptions(command: Command): Candidate[] {
	const help = command.createHelp();
	help.showGlobalOptions = true;
	return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap(({ long, short, description }) => {
		const word = long ?? short;
		return word === undefined ? [] : [{ word, description }];
	});
}

function toNames({ command, position, option, isBehindOptions }: Place, typed: string): NameSource | undefined {
	if (option !== undefined || (typed.startsWith("-") && !isBehindOptions)) return undefined;
	const { registeredArguments: takes } = command;
	// The first argument of a command is a name. Later arguments are names only if the first one is variadic.
	return position === 0 || takes[0]?.variadic === true ? findNames(command) : undefined;
}
