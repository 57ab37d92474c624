import type { Command } from "commander";
import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage } from "../../client/page.ts";
import type { RecordClient } from "../../client/record-client.ts";
import { type CliContext, write } from "../context.ts";
import { orNotFound } from "../failure.ts";
import { printList, printRecord } from "../print-records.ts";
import { readObject } from "../read-file.ts";
import { openSession } from "../session.ts";
import { type CommonOptions, optionsOf, withCommonOptions } from "./options.ts";

/** The records that a group of commands shows and changes. */
export interface CommandRecords<Client> {
	/** Name of a record, such as `trigger type`. */
	readonly noun: string;
	/** Command that lists the records, which messages about unknown ones mention. */
	readonly listCommand: string;
	readonly createClient: (api: ApiClient) => Client;
}

/** Declares commands of a group that each make one kind of call for records of the service. */
export class RecordCommands<Client> {
	readonly #group: Command;
	readonly #context: CliContext;
	readonly #records: CommandRecords<Client>;

	constructor(group: Command, context: CliContext, records: CommandRecords<Client>) {
		this.#group = group;
		this.#context = context;
		this.#records = records;
	}

	/** Adds `list`, which prints the page that `read` returns. Returns the command, for its options. */
	addList<O extends object>(
		description: string,
		columns: readonly string[],
		read: (client: Client, options: O & CommonOptions) => Promise<ListPage<object>>,
		limitOption?: string,
	): Command {
		return this.#add("list", description).action(async (_options, command) => {
			const options = optionsOf<O>(command);
			const page = await read(await this.#openClient(options), options);
			await printList(page, columns, { ...options, ...(limitOption !== undefined && { limitOption }) }, this.#context);
		});
	}

	/** Adds a command that prints the result of `read` for each record that its argument names. Returns the command, for its options. */
	addShow<O extends object>(
		usage: string,
		description: string,
		attributes: readonly string[],
		read: (client: Client, name: string, options: O & CommonOptions) => Promise<object>,
	): Command {
		return this.addForEach<O>(usage, description, async (client, name, options) => {
			await printRecord(await read(client, name, options), attributes, options, this.#context);
		});
	}

	/** Adds a command that calls `act` for each record that its argument names. Returns the command, for its options. */
	addForEach<O extends object>(
		usage: string,
		description: string,
		act: (client: Client, name: string, options: O & CommonOptions) => Promise<void>,
	): Command {
		return this.#add(usage, description).action(async (names: string | readonly string[], _options, command) => {
			const options = optionsOf<O>(command);
			const client = await this.#openClient(options);
			for (const name of [names].flat()) await this.#orNotFound(act(client, name, options), name);
		});
	}

	/** Adds `create`, `update` and `delete`. The first two take a file with the record, and print its attributes. */
	addChanges<Request>(
		plural: string,
		attributes: readonly string[],
		changesOf: (client: Client) => Pick<RecordClient<object, Request>, "create" | "update" | "remove">,
	): void {
		const { noun } = this.#records;
		this.#add("create <file>", `Make a ${noun} from a JSON or YAML file.`).action(async (file: string, _options, command) => {
			const options = optionsOf(command);
			const request = readObject(file) as unknown as Request;
			const created = await changesOf(await this.#openClient(options)).create(request);
			await printRecord(created, attributes, options, this.#context);
		});
		this.#add("update <ref> <file>", `Replace a ${noun} by what a JSON or YAML file says.`).action(
			async (ref: string, file: string, _options, command) => {
				const options = optionsOf(command);
				const changes = changesOf(await this.#openClient(options));
				const updated = await this.#orNotFound(changes.update(ref, readObject(file) as unknown as Request), ref);
				await printRecord(updated, attributes, options, this.#context);
			},
		);
		this.addForEach("delete <refs...>", `Delete ${plural}.`, async (client, ref) => {
			await changesOf(client).remove(ref);
			await write(this.#context.stdout, `${capitalize(noun)} ${ref} deleted\n`);
		});
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

	#add(usage: string, description: string): Command {
		return withCommonOptions(this.#group.command(usage).description(description));
	}

	async #openClient(options: CommonOptions): Promise<Client> {
		return this.#records.createClient(await openSession(options, this.#context));
	}

	#orNotFound<T>(promise: Promise<T>, name: string): Promise<T> {
		return orNotFound(promise, capitalize(this.#records.noun), name, this.#records.listCommand);
	}
}

function capitalize(noun: string): string {
	return noun.charAt(0).toUpperCase() + noun.slice(1);
}
