import type { Command } from "commander";
import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage } from "../../client/page.ts";
import type { RecordClient } from "../../client/record-client.ts";
import { type CliContext, CliExit, write } from "../context.ts";
import { orNotFound } from "../failure.ts";
import { printList, printRecord } from "../print-records.ts";
import { readObject } from "../read-file.ts";
import { openSession } from "../session.ts";
import { type CommonOptions, optionsOf, toPath, withCommonOptions } from "./options.ts";

/** The records that a group of commands shows and changes. */
export interface CommandRecords<Client> {
	/** Name of a record, such as `trigger type`. */
	readonly noun: string;
	readonly createClient: (api: ApiClient) => Client;
	/** Reads the first record that `list` shows. The word `last` stands for it. Default: `last` is a name like any other. */
	readNewest?(client: Client): Promise<ListPage<{ readonly id: string }>>;
	/** Returns the name of a record as messages may contain it. Default: unchanged. */
	readonly toShown?: (name: string) => string;
}

/**
 * Declares commands of a group that each make one kind of call for records of the service. Every method returns the command, so that its
 * options can be added. `O` are the options of a command besides the common ones.
 */
export class RecordCommands<Client> {
	readonly #group: Command;
	readonly #context: CliContext;
	readonly #records: CommandRecords<Client>;

	constructor(group: Command, context: CliContext, records: CommandRecords<Client>) {
		this.#group = group;
		this.#context = context;
		this.#records = records;
	}

	/**
	 * Adds a command that calls `act` with the words after its name. `open` signs in and returns the client. Read files before that:
	 * otherwise a mistyped file name would send the password.
	 */
	addRun<O extends object = object, W extends readonly unknown[] = []>(
		usage: string,
		description: string,
		act: (open: () => Promise<Client>, options: O & CommonOptions, ...words: W) => Promise<void>,
	): Command {
		return withCommonOptions(this.#group.command(usage).description(description)).action(async (...given: readonly unknown[]) => {
			const options = optionsOf<O>(given.at(-1) as Command);
			const open = async () => this.#records.createClient(await openSession(options, this.#context));
			await act(open, options, ...(given.slice(0, -2) as unknown as W));
		});
	}

	/**
	 * Adds `list`, which prints the page that `read` returns.
	 *
	 * @param limitOption option that the hint at an incomplete list names; default: none
	 */
	addList<O extends object>(
		description: string,
		columns: readonly string[],
		read: (client: Client, options: O & CommonOptions) => Promise<ListPage<object>>,
		limitOption = "",
	): Command {
		return this.addRun<O>("list", description, async (open, options) =>
			printList(await read(await open(), options), columns, { ...options, limitOption }, this.#context),
		);
	}

	/** Adds a command that prints the result of `read` for each record that its argument names. */
	addShow<O extends object>(
		usage: string,
		description: string,
		attributes: readonly string[],
		read: (client: Client, name: string, options: O & CommonOptions) => Promise<object>,
	): Command {
		return this.addForEach<O>(usage, description, async (client, name, options) =>
			printRecord(await read(client, name, options), attributes, options, this.#context),
		);
	}

	/**
	 * Adds a command that calls `act` for each record that its argument names. If a record does not exist, the message names its noun and the
	 * command `list` of the group.
	 */
	addForEach<O extends object>(
		usage: string,
		description: string,
		act: (client: Client, name: string, options: O & CommonOptions) => Promise<void>,
	): Command {
		return this.addRun<O, [names: string | readonly string[]]>(usage, description, async (open, options, names) => {
			const client = await open();
			for (const given of [names].flat()) {
				const name = await this.resolve(client, given);
				await this.#orNotFound(act(client, name, options), name);
			}
		});
	}

	/** Returns the id of the first record that `list` shows for `last`, and any other name unchanged. Exits with 2 if there is no record. */
	async resolve(client: Client, name: string): Promise<string> {
		if (name !== "last" || this.#records.readNewest === undefined) return name;
		const [newest] = (await this.#records.readNewest(client)).items;
		if (newest === undefined) throw new CliExit(2, `last: no ${this.#records.noun} exists yet`);
		return newest.id;
	}

	/** Adds a command that calls `remove` for each record that its argument names, and reports that it is deleted. */
	addDelete<O extends object>(
		usage: string,
		description: string,
		remove: (client: Client, name: string, options: O & CommonOptions) => Promise<void>,
	): Command {
		return this.addForEach<O>(usage, description, async (client, name, options) => {
			await remove(client, name, options);
			await write(this.#context.stdout, `${toSentenceStart(this.#records.noun)} ${this.#toShown(name)} deleted\n`);
		});
	}

	/** Adds `create`, `update` and `delete`. The first two take a file with the record, and print its attributes. */
	addChanges(this: RecordCommands<RecordClient<object, object>>, plural: string, attributes: readonly string[]): void {
		const { noun } = this.#records;
		this.addRun<object, [file: string]>(
			"create <file>",
			`Create ${toArticle(noun)} ${noun} from a JSON or YAML file.`,
			async (open, options, file) => {
				const request = readObject(file);
				await printRecord(await (await open()).create(request), attributes, options, this.#context);
			},
		);
		this.addRun<object, [ref: string, file: string]>(
			"update <ref> <file>",
			`Update ${toArticle(noun)} ${noun} from a JSON or YAML file.`,
			async (open, options, ref, file) => {
				const request = readObject(file);
				const updated = (await open()).update(ref, request);
				await printRecord(await this.#orNotFound(updated, ref), attributes, options, this.#context);
			},
		);
		this.addDelete("delete <refs...>", `Delete ${plural}.`, (client, ref) => client.remove(ref));
	}

	/** Adds `enable` and `disable`, which print what `change` returns. */
	addSwitches(
		argument: string,
		descriptions: { readonly enable: string; readonly disable: string },
		columns: readonly string[],
		change: (client: Client, name: string, enabled: boolean) => Promise<object>,
	): void {
		this.addShow(`enable ${argument}`, descriptions.enable, columns, (client, name) => change(client, name, true));
		this.addShow(`disable ${argument}`, descriptions.disable, columns, (client, name) => change(client, name, false));
	}

	#toShown(name: string): string {
		return this.#records.toShown?.(name) ?? name;
	}

	#orNotFound<T>(promise: Promise<T>, name: string): Promise<T> {
		return orNotFound(promise, this.#records.noun, this.#toShown(name), `${toPath(this.#group)} list`);
	}
}

function toArticle(noun: string): string {
	return /^[aeiou]/i.test(noun) ? "an" : "a";
}

function toSentenceStart(noun: string): string {
	return noun.charAt(0).toUpperCase() + noun.slice(1);
}
