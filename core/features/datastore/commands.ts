import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, type CommonOptions, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { readPassword } from "../../cli/password.ts";
import { printRecord } from "../../cli/print-records.ts";
import { readValue } from "../../cli/read-file.ts";
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
	readonly limit: number;
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
	const group = parent.command("key").description("Manage the items of the datastore.");
	withNames(group, { path: "/keys", name: "name" });
	const keys = new RecordCommands(group, context, { noun: "datastore item", createClient: createKeyClient });
	addForItems(keys, context);
	addForMany(keys, context);
	withExamples(group, {
		list: ["svc key list", "svc key list --prefix db. --decrypt"],
		get: ["svc key get db.host", "svc key get db.password --decrypt"],
		set: ["svc key set db.host db1.example.org", "svc key set tls.key --encrypt < server.key"],
		delete: ["svc key delete db.host"],
		"delete-by-prefix": ["svc key delete-by-prefix --prefix db."],
		load: ["svc key load items.yaml", "svc key load --convert items.json"],
		rotate: ["svc key rotate", "svc key rotate --forget"],
	});
};

function addForItems(keys: RecordCommands<KeyClient>, context: CliContext): void {
	withWhere(keys.addList<ListOptions>("List datastore items.", columns, list, "-n"), "system, user or all; default: all")
		.option("-p, --prefix <prefix>", "list the items whose names begin with this text")
		.option("-d, --decrypt", "show secret values decrypted")
		.option("--show-secrets", "show secret values as ciphertext, for loading them into another service (administrators)")
		.option(...limitOption, toInteger, 100);

	withWhere(
		keys.addShow<WhereOptions & { decrypt?: boolean }>(
			"get <names...>",
			"Show datastore items.",
			attributes,
			(client, name, { scope, user, decrypt }) => client.get(name, { scope, user, decrypt }),
		),
	).option("-d, --decrypt", "show a secret value decrypted");

	withWhere(
		keys.addRun<SetOptions, [name: string, value: string | undefined]>(
			"set <name> [value]",
			"Create or replace a datastore item. Without a value, it is read from a prompt or standard input.",
			async (open, options, name, value) => {
				const given = value ?? (await askForValue(context));
				const record = await (await open()).set(name, toInput(given, options));
				await printRecord(record, ["name", "value", "scope", "user", "expire_timestamp"], options, context);
			},
		),
	)
		.option("--description <text>", "purpose of the item")
		.option("-l, --ttl <seconds>", "seconds until the item expires; default: never", toInteger)
		.option("-e, --encrypt", "store the value encrypted")
		.option("--encrypted", "the value is already ciphertext of this service (administrators)")
		.option("--pre-encrypted", "same as --encrypted");

	withWhere(
		keys.addDelete<WhereOptions>("delete <names...>", "Delete datastore items.", (client, name, { scope, user }) =>
			client.remove(name, { scope, user }),
		),
	);
}

function addForMany(keys: RecordCommands<KeyClient>, context: CliContext): void {
	withWhere(
		keys.addRun<WhereOptions & { readonly prefix: string }>(
			"delete-by-prefix",
			"Delete all datastore items whose names begin with a prefix.",
			async (open, { scope, user, prefix }) => {
				if (prefix === "") throw new CliExit(2, "--prefix: must not be empty; `svc key delete` deletes single items");
				const client = await open();
				for (const name of await namesOf(client, { scope, user, prefix })) {
					await client.remove(name, { scope, user });
					await write(context.stdout, `Datastore item ${name} deleted\n`);
				}
			},
		),
	)
		.alias("delete_by_prefix")
		.requiredOption("-p, --prefix <prefix>", "prefix of the names");

	keys
		.addRun<{ convert?: boolean }, [file: string]>(
			"load <file>",
			"Create or replace the datastore items in a JSON or YAML file.",
			async (open, options, file) => {
				const items = readItems(file, options.convert === true);
				const client = await open();
				for (const { name, ...input } of items) await client.set(name, input);
				await write(context.stdout, `${items.length} datastore items loaded\n`);
			},
		)
		.option("-c, --convert", "store values that are not strings as JSON");

	keys
		.addRun<{ forget?: boolean }>(
			"rotate",
			"Encrypt all secrets with a new key while the service runs (administrators).",
			async (open, options) => {
				const record = await (await open()).rotate({ forget: options.forget });
				await printRecord(record, ["key_id", "added", "reencrypted", "unreadable", "forgotten"], options, context);
			},
		)
		.option("--forget", "remove keys that no item uses from the key file");
}

function withWhere(command: Command, scopes = "system or user; default: system"): Command {
	return command.option("-s, --scope <scope>", scopes).option("-u, --user <user>", "owner of the items (administrators)");
}

async function list(client: KeyClient, options: ListOptions & CommonOptions): Promise<ListPage<KeyRecord>> {
	const { prefix, user, decrypt, showSecrets: show_secrets, limit, output } = options;
	const scope = options.scope ?? (user === undefined ? "all" : "user");
	const page = await client.list({ prefix, scope, user, decrypt, show_secrets, limit });
	return output === "wide" || options.json || options.yaml ? page : { ...page, items: page.items.map(shorten) };
}

/** Reads a value from the prompt of a terminal, otherwise all of standard input without the line break at its end. */
async function askForValue(context: CliContext): Promise<string> {
	const missing = "value: missing; add it after the name, or send it to standard input";
	if (context.stdin.isTTY === true) return readPassword("Value: ", context, missing);
	const input = (await text(context.stdin)).replace(/\r?\n$/, "");
	if (input === "") throw new CliExit(2, missing);
	return input;
}

function shorten(item: KeyRecord): KeyRecord {
	return item.value.length > shownLength ? { ...item, value: `${item.value.slice(0, shownLength)}…` } : item;
}

function toInput(value: string, { scope, user, description, ttl, encrypt, encrypted, preEncrypted }: SetOptions): KeyInput {
	return { value, scope, user, description, ttl, secret: encrypt, encrypted: encrypted ?? preEncrypted };
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
		if (!isItem(item)) throw new CliExit(2, `file "${file}": item ${index + 1} must have "name" and "value"`);
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
		throw new CliExit(2, `file "${file}": value of "${name}" must be a string; --convert stores other values as JSON`);
	const converted = typeof value === "string" ? value : stringifyJson(value);
	const rest = expire_timestamp === undefined ? ttl : Math.max(1, Math.ceil((Date.parse(expire_timestamp) - Date.now()) / 1_000));
	return { name, value: converted, scope, user, description, secret, encrypted, ttl: rest };
}
