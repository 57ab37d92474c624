import type { Command } from "commander";
import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage } from "../../client/page.ts";
import type { RecordClient } from "../../client/record-client.ts";
import { type CliContext, write } from "../context.ts";
import { orNotFound } from "../failure.ts";
import { printRecord } from "../print-records.ts";
import { readObject } from "../read-file.ts";
import { openSession } from "../session.ts";
import { ClientHandlers, toPath } from "./client-handlers.ts";
import { type CommonOptions, optionsOf, withCommonOptions } from "./options.ts";

/** The records that a group of commands shows and changes. */
export interface CommandRecords<Client> {
	/** Name of a record, such as `trigger type`. */
	readonly noun: string;
	readonly createClient: (api: ApiClient) => Client;
}

/** Declares commands of a group that each make one kind of call for records of the service. */
export class RecordCommands<Client> {
	readonly #group: Command;
	readonly #context: CliContext;
	readonly #noun: string;
	readonly #createClient: (api: ApiClient) => Client;
	readonly #handlers: ClientHandlers<Client>;

	constructor(group: Command, context: CliContext, { noun, createClient }: CommandRecords<Client>) {
		this.#group = group;
		this.#context = context;
		this.#noun = noun;
		this.#createClient = createClient;
		this.#handlers = new ClientHandlers(createClient, context);
	}

	/** Adds `list`, which prints the page that `read` returns. Returns the command, for its options. */
	addList<O extends object>(
		description: string,
		columns: readonly string[],
		read: (client: Client, options: O & CommonOptions) => Promise<ListPage<object>>,
		limitOption?: string,
	): Command {
		return this.#add("list", description).action(this.#handlers.list<O>(columns, read, limitOption));
	}

	/** Adds a command that prints the result of `read` for each record that its argument names. Returns the command, for its options. */
	addShow<O extends object>(
		usage: string,
		description: string,
		attributes: readonly string[],
		read: (client: Client, name: string, options: O & CommonOptions) => Promise<object>,
	): Command {
		return this.#add(usage, description).action(this.#handlers.show<O>(capitalize(this.#noun), attributes, read));
	}

	/** Adds a command that calls `act` for each record that its argument names. Returns the command, for its options. */
	addForEach<O extends object>(
		usage: string,
		description: string,
		act: (client: Client, name: string, options: O & CommonOptions) => Promise<void>,
	): Command {
		return this.#add(usage, description).action(this.#handlers.each<O>(capitalize(this.#noun), act));
	}

	/** Adds `create`, `update` and `delete`. The first two take a file with the record, and print its attributes. */
	addChanges<Request>(
		plural: string,
		attributes: readonly string[],
		changesOf: (client: Client) => Pick<RecordClient<object, Request>, "create" | "update" | "remove">,
	): void {
		const noun = this.#noun;
		const readRequest = (file: string) => readObject(file) as unknown as Request;
		// The file is read before the command signs in, so that no password is sent if the name of the file is mistyped.
		const open = async (command: Command) => changesOf(this.#createClient(await openSession(optionsOf(command), this.#context)));
		const print = (record: object, command: Command) => printRecord(record, attributes, optionsOf(command), this.#context);
		this.#add("create <file>", `Make a ${noun} from a JSON or YAML file.`).action(
			async (file: string, _options: unknown, command: Command) => {
				const request = readRequest(file);
				await print(await (await open(command)).create(request), command);
			},
		);
		this.#add("update <ref> <file>", `Replace a ${noun} by what a JSON or YAML file says.`).action(
			async (ref: string, file: string, _options: unknown, command: Command) => {
				const request = readRequest(file);
				const updated = (await open(command)).update(ref, request);
				await print(await orNotFound(updated, capitalize(noun), ref, `${toPath(this.#group)} list`), command);
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
}

function capitalize(noun: string): string {
	return noun.charAt(0).toUpperCase() + noun.slice(1);
}
