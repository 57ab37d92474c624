import type { Command } from "commander";
import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage } from "../../client/page.ts";
import type { CliContext } from "../context.ts";
import { orNotFound } from "../failure.ts";
import { printList, printRecord } from "../print-records.ts";
import { openSession } from "../session.ts";
import { type CommonOptions, optionsOf } from "./options.ts";

/** Function that commander calls with the words after the name of a command, the options and the command. */
type Handler = (...given: unknown[]) => Promise<void>;

/** Makes the handlers of commands that use one client of the service. `O` are the options of a command besides the common ones. */
export class ClientHandlers<C> {
	readonly #createClient: (api: ApiClient) => C;
	readonly #context: CliContext;

	constructor(createClient: (api: ApiClient) => C, context: CliContext) {
		this.#createClient = createClient;
		this.#context = context;
	}

	/** Returns a handler that calls `act` with the words after the name of the command. */
	run<O extends object = object, W extends readonly unknown[] = []>(
		act: (client: C, options: O & CommonOptions, ...words: W) => Promise<void>,
	): Handler {
		return async (...given) => {
			const { client, options } = await this.#open<O>(given.at(-1) as Command);
			await act(client, options, ...(given.slice(0, -2) as unknown as W));
		};
	}

	/**
	 * Returns a handler that prints a list.
	 *
	 * @param limitOption option that the hint at an incomplete list names; default: none
	 */
	list<O extends object = object>(
		columns: readonly string[],
		read: (client: C, options: O & CommonOptions) => Promise<ListPage<object>>,
		limitOption = "",
	): Handler {
		return this.run<O>(async (client, options) =>
			printList(await read(client, options), columns, { ...options, limitOption }, this.#context),
		);
	}

	/**
	 * Returns a handler that calls `act` for each record that the first argument of the command names, with the words after it. If a record
	 * does not exist, the message names its kind and the command `list` of the same group.
	 *
	 * @param toShown returns a name as the message may contain it; default: unchanged
	 */
	each<O extends object = object, W extends readonly unknown[] = []>(
		kind: string,
		act: (client: C, name: string, options: O & CommonOptions, ...words: W) => Promise<void>,
		toShown = (name: string) => name,
	): Handler {
		return async (...given) => {
			const command = given.at(-1) as Command;
			const { client, options } = await this.#open<O>(command);
			const listCommand = `${toPath(command.parent)} list`;
			const words = given.slice(1, -2) as unknown as W;
			for (const name of [given[0] as string | readonly string[]].flat())
				await orNotFound(act(client, name, options, ...words), kind, toShown(name), listCommand);
		};
	}

	/** Returns a handler that prints the attributes of each record that the command names. Missing records are handled as by `each`. */
	show<O extends object = object>(
		kind: string,
		attributes: readonly string[],
		read: (client: C, name: string, options: O & CommonOptions) => Promise<object>,
		toShown?: (name: string) => string,
	): Handler {
		const print = async (client: C, name: string, options: O & CommonOptions) =>
			printRecord(await read(client, name, options), attributes, options, this.#context);
		return this.each(kind, print, toShown);
	}

	async #open<O extends object>(command: Command) {
		const options = optionsOf<O>(command);
		return { options, client: this.#createClient(await openSession(options, this.#context)) };
	}
}

/** Returns the words that call a command, such as `svc webhook delivery`. */
export function toPath(command: Command | null): string {
	return command === null ? "" : `${toPath(command.parent)} ${command.name()}`.trimStart();
}
