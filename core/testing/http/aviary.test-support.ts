import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { injectTrigger } from "../../../plugins-runner/inject-trigger/index.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { defineAuthBackend, type EntityKind, entityKinds } from "../../contract/index.ts";
import { createLogger } from "../../service/logger.ts";
import { createService } from "../../service/service.ts";
import { createPluginContext } from "../plugin-context.ts";
import { canaryItems, canaryPack, parrot } from "./canary-pack.test-support.ts";

/** Something the service gave away, and to whom. */
export interface Seen {
	readonly label: string;
	readonly text: string;
}

export type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly text: string }>;

/** A service on disk with the pack of the canaries, and everybody who may sign in. */
export interface Aviary {
	readonly urls: { readonly auth: string; readonly api: string; readonly stream: string };
	readonly log: readonly string[];
	/** Tokens of the runs so far; whoever is given one elsewhere adds it. */
	readonly tokens: string[];
	/** A token of a user. */
	signIn(username: string): Promise<string>;
	/** Ask as whoever has this credential. */
	as(credential: Readonly<Record<string, string>>): Ask;
}

/** What was left behind: every value of every column, as a backup has them, and every file, the backup among them. */
export interface Remains {
	readonly columns: ReadonlyMap<string, string>;
	readonly files: readonly Seen[];
}

const anybody = defineAuthBackend("anybody", () => ({
	authenticate: async ({ username, password }) => (username === password ? { username } : undefined),
}));

const ofPack = (permission_types: readonly ("pack_all" | "action_all" | "rule_all" | "action_view")[]) => ({
	resource_uid: "pack:aviary",
	permission_types,
});
const ofItem = (name: string) => ({
	resource_uid: `key_value_pair:svckv.system:${name}`,
	permission_types: ["key_value_pair_view" as const],
});
const roles = [
	{ name: "keeper", permission_grants: [ofPack(["pack_all", "action_all", "rule_all"]), ...Object.keys(canaryItems).map(ofItem)] },
	{ name: "looker", permission_grants: [ofPack(["action_view"])] },
];

/** Run with the service; what it has left is there afterwards. */
export async function withAviary(
	use: (aviary: Aviary) => Promise<void>,
	{ masks = true }: { readonly masks?: boolean } = {},
): Promise<Remains> {
	const directory = await mkdtemp(join(tmpdir(), "svc-aviary-"));
	for (const [path, text] of Object.entries(canaryPack)) {
		await mkdir(dirname(join(directory, "packs", path)), { recursive: true });
		await writeFile(join(directory, "packs", path), text);
	}
	const log: string[] = [];
	const tokens: string[] = [];
	const data = join(directory, "data");
	const service = createService(
		{
			features: shippedFeatures(),
			storage: knexStorage({ client: "sqlite" }),
			event_bus: memoryBus(),
			runners: [localCommand(), inquirer(), injectTrigger(), parrot({ heard: tokens })],
			packs: [join(directory, "packs")],
			data_dir: data,
			auth: { port: 0, backend: anybody() },
			rbac: {
				enable: true,
				roles,
				assignments: [
					{ username: "root", roles: ["admin"] },
					{ username: "second", roles: ["admin"] },
					{ username: "observer", roles: ["observer"] },
					{ username: "owner", roles: ["keeper"] },
					{ username: "looker", roles: ["looker"] },
				],
			},
			workers: { runners: ["parrot"], lease: 300 },
			// A run of a worker goes on when the service has stopped.
			actionrunner: { graceful_shutdown: false },
			api: { port: 0, mask_secrets: masks },
			stream: { port: 0 },
		},
		{
			directory,
			logger: createLogger(
				{ level: "debug", format: "json", mask_secrets: masks, mask_secrets_blacklist: [] },
				{ debug: false, stream: { write: (text: string) => log.push(text) } },
			),
		},
	);
	try {
		const { addresses } = await service.start();
		const urls = { auth: addresses.auth ?? "", api: addresses.api ?? "", stream: addresses.stream ?? "" };
		await use({
			urls,
			log,
			tokens,
			async signIn(name) {
				const authorization = `Basic ${Buffer.from(`${name}:${name}`).toString("base64")}`;
				const response = await fetch(`${urls.auth}/tokens`, { method: "POST", headers: { authorization } });
				return ((await response.json()) as { token: string }).token;
			},
			as: (credential) => async (method, path, body) => {
				const response = await fetch(urls.api + path, {
					method,
					headers: { "content-type": "application/json", ...credential },
					...(body !== undefined && { body: JSON.stringify(body) }),
				});
				return { status: response.status, text: `${JSON.stringify([...response.headers])}\n${await response.text()}` };
			},
		});
		await service.stop();
		// A backup holds all that is kept.
		const backup = await backUp(data);
		const files = await readFiles(data);
		return { columns: await readColumns(backup), files };
	} finally {
		await service.stop();
		await rm(directory, { recursive: true, force: true });
	}
}

/** As `svc db backup` does; it lies beside the other files. Its path. */
async function backUp(data: string): Promise<string> {
	const backup = join(data, "backup.db");
	const storage = knexStorage({ client: "sqlite", file: join(data, "svc.db") }).create();
	await storage.backup?.(createPluginContext(), backup);
	await storage.stop?.();
	return backup;
}

async function readColumns(file: string): Promise<ReadonlyMap<string, string>> {
	const storage = knexStorage({ client: "sqlite", file }).create();
	await storage.start?.(createPluginContext());
	const columns = new Map<string, string>();
	for (const kind of Object.keys(entityKinds) as EntityKind[]) {
		for (const entity of await storage.find(kind, {})) {
			for (const [field, value] of Object.entries(entity)) {
				const text = typeof value === "string" ? value : JSON.stringify(value);
				columns.set(`${kind}.${field}`, `${columns.get(`${kind}.${field}`) ?? ""}\n${text}`);
			}
		}
	}
	await storage.stop?.();
	return columns;
}

/** Bytes as text, one character each. */
async function readFiles(directory: string): Promise<readonly Seen[]> {
	const entries = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
	const found = await Promise.all(
		entries.map(async ({ name, parentPath }) => ({ name, text: await readFile(join(parentPath, name), "latin1").catch(toGone) })),
	);
	return found.flatMap(({ name, text }) => (text === undefined ? [] : [{ label: name, text }]));
}

/** SQLite takes its smaller files away a moment after it was closed. */
function toGone(error: NodeJS.ErrnoException): undefined {
	if (error.code !== "ENOENT") throw error;
}
