import type { Command } from "commander";
import { ClientHandlers } from "../../cli/commands/client-handlers.ts";
import { type AddCommands, type CommonOptions, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { readPassword } from "../../cli/password.ts";
import { printRecord } from "../../cli/print-records.ts";
import { readValue } from "../../cli/read-file.ts";
import { openSession } from "../../cli/session.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import { stringifyJson } from "../../contract/index.ts";
import { createKeyClient, type KeyClient, type KeyInput, type KeyRecord } from "./client.ts";

const columns = ["name", "value", "secret", "encrypted", "scope", "user", "expire_timestamp"];
const attributes = ["id", "name", "description", "value", "secret", "encrypted", "scope", "user", "expire_timestamp"];
/** Maximum number of characters of a value in a table. */
const shownLength = 50;

interface WhereOptions {
	readonly scope?: string;
	readonly user?: string;
}

interface ListOptions extends WhereOptions {
	readonly prefix?: string;
	readonly decrypt?: boolean;
	readonly showSecrets?: boolean;
	readonly last?: number;
	readonly wide?: boolean;
}

interface SetOptions extends WhereOptions {
	readonly description?: string;
	readonly ttl?: number;
	readonly encrypt?: boolean;
	readonly encrypted?: boolean;
	readonly preEncrypted?: boolean;
}

/** An item in a file: the members of a listed item, with any value. */
interface LoadedItem extends Omit<KeyInput, "value"> {
	readonly name: string;
	readonly value: unknown;
	readonly expire_timestamp?: string;
}

export const addKeyCommands: AddCommands = (parent, context) => {
	const keys = parent.command("key").description("Keep values in the datastore.");
	withNames(keys, { path: "/keys", name: "name" });
	addForItems(keys, context);
	addForMany(keys, context);
};

function addForItems(keys: Command, context: CliContext): void {
	const handlers = new ClientHandlers(createKeyClient, context);
	withWhere(withCommonOptions(keys.command("list").description("List items.")), "system, user or all; default all")
		.option("-p, --prefix <prefix>", "whose names begin so")
		.option("-d, --decrypt", "secret values in clear")
		.option("--show-secrets", "secret values as cipher text, to load them elsewhere (administrators)")
		.option("-n, --last <count>", "at most as many; -1 for all", toInteger)
		.option("-w, --wide", "long values in full")
		.action(handlers.list<ListOptions>(columns, list, "-n"));

	withWhere(withCommonOptions(keys.command("get <names...>").description("Show items.")))
		.option("-d, --decrypt", "a secret value in clear")
		.action(
			handlers.show<WhereOptions & { decrypt?: boolean }>("Datastore item", attributes, (client, name, { scope, user, decrypt }) =>
				client.get(name, { scope, user, decrypt }),
			),
		);

	withWhere(
		withCommonOptions(keys.command("set <name> [value]").description("Create or replace an item. Without a value it is asked for.")),
	)
		.option("--description <text>", "what it is for")
		.option("-l, --ttl <seconds>", "until it expires; default never", toInteger)
		.option("-e, --encrypt", "keep the value encrypted")
		.option("--encrypted", "the value is cipher text already (administrators)")
		.option("--pre-encrypted", "the same as --encrypted")
		.action(async (name: string, value: string | undefined, _options, command) => {
			const options = optionsOf<SetOptions>(command);
			const given = value ?? (await readPassword("Value: ", context));
			const record = await createKeyClient(await openSession(options, context)).set(name, toInput(given, options));
			await printRecord(record, ["name", "value", "scope", "user", "expire_timestamp"], options, context);
		});

	withWhere(withCommonOptions(keys.command("delete <names...>").description("Delete items."))).action(
		handlers.each<WhereOptions>("Datastore item", async (client, name, { scope, user }) => {
			await client.remove(name, { scope, user });
			await write(context.stdout, `Datastore item ${name} deleted\n`);
		}),
	);
}

function addForMany(keys: Command, context: CliContext): void {
	withWhere(withCommonOptions(keys.command("delete_by_prefix").description("Delete all items whose names begin so.")))
		.requiredOption("-p, --prefix <prefix>", "beginning of the names")
		.action(async (_options, command) => deleteByPrefix(optionsOf(command), context));

	withCommonOptions(keys.command("load <file>").description("Set the items in a JSON or YAML file, such as `svc key list -j` prints."))
		.option("-c, --convert", "keep values that are no texts as JSON texts")
		.action(async (file: string, _options, command) => {
			const options = optionsOf<{ convert?: boolean }>(command);
			const items = readItems(file, options.convert === true);
			const client = createKeyClient(await openSession(options, context));
			for (const { name, ...input } of items) await client.set(name, input);
			await write(context.stdout, `${items.length} datastore items loaded\n`);
		});

	withCommonOptions(keys.command("rotate").description("Encrypt all secrets with a new key, while the service runs (administrators)."))
		.option("--forget", "remove keys from the key file that no item has used since an earlier rotation")
		.action(
			new ClientHandlers(createKeyClient, context).run<{ forget?: boolean }>(async (client, options) => {
				const record = await client.rotate({ forget: options.forget });
				await printRecord(record, ["key_id", "added", "reencrypted", "unreadable", "forgotten"], options, context);
			}),
		);
}

function withWhere(command: Command, scopes = "system or user; default system"): Command {
	return command.option("-s, --scope <scope>", scopes).option("-u, --user <user>", "items of this user (administrators)");
}

async function list(client: KeyClient, options: ListOptions & CommonOptions): Promise<ListPage<KeyRecord>> {
	const { prefix, user, decrypt, showSecrets: show_secrets, last: limit, wide } = options;
	const scope = options.scope ?? (user === undefined ? "all" : "user");
	const page = await client.list({ prefix, scope, user, decrypt, show_secrets, limit });
	return wide || options.json || options.yaml ? page : { ...page, items: page.items.map(shorten) };
}

function shorten(item: KeyRecord): KeyRecord {
	return item.value.length > shownLength ? { ...item, value: `${item.value.slice(0, shownLength)}…` } : item;
}

function toInput(value: string, { scope, user, description, ttl, encrypt, encrypted, preEncrypted }: SetOptions): KeyInput {
	return { value, scope, user, description, ttl, secret: encrypt, encrypted: encrypted ?? preEncrypted };
}

async function deleteByPrefix(options: WhereOptions & CommonOptions & { readonly prefix: string }, context: CliContext): Promise<void> {
	const { scope, user, prefix } = options;
	if (prefix === "") throw new CliExit(2, "--prefix must not be empty");
	const client = createKeyClient(await openSession(options, context));
	for (const name of await namesOf(client, { scope, user, prefix })) {
		await client.remove(name, { scope, user });
		await write(context.stdout, `Datastore item ${name} deleted\n`);
	}
}

/** Returns all names. Reads all pages before the first item is deleted, because deletions would shift the pages. */
async function namesOf(client: KeyClient, query: ListQuery): Promise<readonly string[]> {
	const names: string[] = [];
	const limit = 100;
	for (;;) {
		const { items } = await client.list({ ...query, limit, offset: names.length, sort: "name" });
		names.push(...items.map(({ name }) => name));
		if (items.length < limit) return names;
	}
}

function readItems(file: string, isConverted: boolean): readonly (KeyInput & { readonly name: string })[] {
	return ([readValue(file)].flat() as unknown[]).map((item, index) => {
		if (!isItem(item)) throw new CliExit(2, `${file}: item ${index + 1} must have name and value`);
		return toLoaded(item, { file, isConverted });
	});
}

function isItem(item: unknown): item is LoadedItem {
	return typeof item === "object" && item !== null && "name" in item && typeof item.name === "string" && "value" in item;
}

function toLoaded(
	{ name, value, scope, user, description, secret, encrypted, ttl, expire_timestamp }: LoadedItem,
	{ file, isConverted }: { readonly file: string; readonly isConverted: boolean },
): KeyInput & { readonly name: string } {
	if (typeof value !== "string" && !isConverted)
		throw new CliExit(2, `${file}: value of "${name}" must be a string; --convert makes it one`);
	const text = typeof value === "string" ? value : stringifyJson(value);
	const rest = expire_timestamp === undefined ? ttl : Math.max(1, Math.ceil((Date.parse(expire_timestamp) - Date.now()) / 1_000));
	return { name, value: text, scope, user, description, secret, encrypted, ttl: rest };
}
