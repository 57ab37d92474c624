import { InvalidArgumentError } from "commander";
import { parseCommaList } from "../../cli/commands/comma-list.ts";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, type CommonOptions, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { readValue } from "../../cli/read-file.ts";
import { isSvcError, type JsonObject, parseJson } from "../../contract/index.ts";
import { type AccessClient, type ApiKeyInput, createAccessClient } from "./client.ts";

type ApiKeyClient = AccessClient["apiKeys"];

const columns = ["id", "user", "enabled", "metadata"];
const newestFirst = "-created_at";
const allColumns = [...columns, "created_at", "last_used_at", "expires_at", "scopes", "uid", "key_hash"];

interface ListOptions {
	readonly user?: string;
	readonly detail?: boolean;
	readonly showSecrets?: boolean;
	readonly limit: number;
}

interface CreateOptions {
	readonly user?: string;
	readonly metadata?: JsonObject;
	readonly onlyKey?: boolean;
	readonly expires?: string;
	readonly scopes?: string[];
}

const examples = {
	list: ["svc apikey list", "svc apikey list --user maria --detail"],
	get: ["svc apikey get 65f0a1b2c3d4e5f6a7b8c9d0"],
	create: ["svc apikey create --expires +30d", "svc apikey create --user maria --scopes webhook:deploy --only-key"],
	delete: ["svc apikey delete 65f0a1b2c3d4e5f6a7b8c9d0"],
	enable: ["svc apikey enable 65f0a1b2c3d4e5f6a7b8c9d0"],
	disable: ["svc apikey disable 65f0a1b2c3d4e5f6a7b8c9d0"],
	load: ["svc apikey load keys.json"],
};

export const addApiKeyCommands: AddCommands = (parent, context) => {
	const group = parent.command("apikey").description("Manage API keys.");
	const keys = new RecordCommands(group, context, {
		noun: "API key",
		createClient: (api) => createAccessClient(api).apiKeys,
		readNewest: (client) => client.list({ limit: 1, sort: newestFirst }),
		toShown,
	});

	keys
		.addRun<ListOptions>("list", "List API keys, newest first.", async (open, options) => {
			const { user, limit, showSecrets: show_secrets, detail } = options;
			const page = await (await open()).list({ user, limit, show_secrets, sort: newestFirst });
			await printList(page, detail ? allColumns : columns, { ...options, limitOption: "-n" }, context);
		})
		.option("-u, --user <user>", "list the keys of this user")
		.option("-d, --detail", "show all columns")
		.option(...limitOption, toInteger, 50)
		.option("--show-secrets", "include the hashes, for loading the keys into another service (administrators)");

	keys.addShow("get <keys...>", "Show API keys by id or by key.", allColumns, (client, key) => client.get(key));

	keys
		.addRun<CreateOptions>("create", "Create an API key. The key is shown only once.", async (open, options) =>
			create(await open(), options, context),
		)
		.option("-u, --user <user>", "owner of the key (administrators); default: the current user")
		.option("-m, --metadata <json>", "JSON object to store with the key", toObject)
		.option("-k, --only-key", "print only the key")
		.option("--expires <time>", "time of expiry, such as 2031-03-04T09:15:02Z or +30d; default: never")
		.option(
			"--scopes <scopes>",
			"permission types, webhook:<url> and worker:<label>, separated by commas; default: all permissions of the user",
			parseCommaList,
		);

	keys.addDelete("delete <keys...>", "Delete API keys.", (client, key) => client.remove(key));

	keys.addSwitches(
		"<keys...>",
		{ enable: "Enable API keys.", disable: "Disable API keys." },
		["id", "user", "enabled"],
		(client, key, enabled) => client.update(key, { enabled }),
	);

	keys.addRun<object, [file: string]>(
		"load <file>",
		"Load API keys from a JSON or YAML file that another service listed with --show-secrets.",
		async (open, _options, file) => {
			const records = readRecords(file);
			const client = await open();
			for (const record of records) {
				const { id, created } = await load(client, record);
				await write(context.stdout, `${id} ${created ? "loaded" : "already exists"}\n`);
			}
		},
	);
	withExamples(group, examples);
};

async function create(
	client: ApiKeyClient,
	{ user, metadata, expires, scopes, ...options }: CreateOptions & CommonOptions,
	context: CliContext,
): Promise<void> {
	const record = await client.create({ user, metadata, expires_at: expires, scopes });
	if (options.onlyKey) return write(context.stdout, `${record.key}\n`);
	await printRecord(record, ["id", "user", "key", "metadata", "expires_at", "scopes"], options, context);
	if (!options.json && !options.yaml) await write(context.stderr, "Store the key now: it cannot be shown again.\n");
}

/** Creates or updates a key from its record. The key is disabled unless the record enables it. */
async function load(client: ApiKeyClient, record: ApiKeyInput): Promise<{ readonly id: string; readonly created: boolean }> {
	const input = { ...record, enabled: record.enabled ?? false };
	try {
		const { id } = await client.update(record.id ?? "", input);
		return { id, created: false };
	} catch (error) {
		if (!isSvcError(error, "SVC_NOT_FOUND")) throw error;
		const { id } = await client.create(input);
		return { id, created: true };
	}
}

function readRecords(file: string): readonly ApiKeyInput[] {
	const records = [readValue(file)].flat();
	const isRecord = (record: unknown) =>
		typeof record === "object" && record !== null && ["id", "key_hash"].every((name) => typeof Reflect.get(record, name) === "string");
	if (!records.every(isRecord))
		throw new CliExit(
			2,
			`file "${file}" must contain API keys with "id" and "key_hash"; create it with \`svc apikey list --show-secrets -j\``,
		);
	return records as ApiKeyInput[];
}

function toObject(text: string): JsonObject {
	try {
		const value: unknown = parseJson(text);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
	} catch {
		// Invalid JSON throws the error below.
	}
	throw new InvalidArgumentError("Must be a JSON object.");
}

/** Returns an id unchanged. Replaces any other string by an ellipsis: it may be a key, which messages must not contain. */
function toShown(key: string): string {
	return /^[0-9a-f]{24}$/.test(key) ? key : "…";
}
