// Fills a new database of the service with packs as they are installed: their records, without their files. Tables and runner types are
// made by the service itself.
const { dataDirectory, url, packs, actions, aliases } = JSON.parse(process.argv[2]);

const built = (path) => import(new URL(`../../dist/${path}/index.js`, import.meta.url).href);
const { createEngine } = await built("core");
const { createPluginContext } = await built("core/testing");
const { knexStorage } = await built("plugins/storage-knex");
const { memoryBus } = await built("plugins/event-bus-memory");
const { localCommand } = await built("plugins-runner/local-command");
const { noop } = await built("plugins-runner/noop");

const storage = knexStorage(url === undefined ? { client: "sqlite" } : { client: "postgres", url });
const runners = [localCommand(), noop()];
const engine = createEngine({
	storage,
	event_bus: memoryBus(),
	runners,
	data_dir: dataDirectory,
	auth: { enable: false },
	log: { level: "warn" },
});
await engine.start();
await engine.stop();

const instance = storage.create();
await instance.start(createPluginContext({ dataDirectory }));

let last = 0;
const nextId = () => (last += 1).toString(16).padStart(24, "0");
const toRef = (index) => `pack_${String(index % packs).padStart(3, "0")}`;
const content = "0".repeat(64);
const words = (count) => Array.from({ length: count }, (_none, index) => `word${index}`).join(" ");

function toPack(index) {
	const ref = toRef(index);
	const manifest = {
		ref,
		name: `Pack ${index}`,
		description: words(20),
		version: "1.2.3",
		author: "somebody",
		keywords: ["one", "two", "three"],
	};
	return {
		id: nextId(),
		...manifest,
		keywords: undefined,
		path: null,
		metadata: { ...manifest, email: "somebody@example.org", contributors: ["one <one@example.org>"], python_versions: ["3"] },
		content,
		source: { kind: "git", address: `https://example.org/${ref}.git`, revision: "v1.2.3", commit: "0".repeat(40) },
		installation: { at: "2031-03-04T09:15:02.518273Z", by: "maria", execution_id: "0".repeat(24) },
		earlier: Array.from({ length: 5 }, (_none, old) => ({ content, version: `1.1.${old}`, source: {}, installation: {} })),
		registration: null,
		files: Array.from({ length: 120 }, (_none, file) => `actions/a_folder/some_action_${file}.yaml`),
	};
}

function toAction(index) {
	const [pack, name] = [toRef(index), `action_${index}`];
	const parameter = (_none, position) => [`parameter_${position}`, { type: "string", description: words(10), default: "value", position }];
	return {
		id: nextId(),
		ref: `${pack}.${name}`,
		pack,
		name,
		description: words(10),
		runner_type: index % 2 === 0 ? "noop" : "local-shell-cmd",
		entry_point: "",
		enabled: true,
		metadata_file: `actions/${name}.yaml`,
		parameters: Object.fromEntries(Array.from({ length: 8 }, parameter)),
		output_schema: {},
		tags: index % 50 === 0 ? [{ name: "team", value: "storage" }] : [],
		notify: {},
		content,
	};
}

function toAlias(index) {
	const [pack, name] = [toRef(index), `alias_${index}`];
	return {
		id: nextId(),
		ref: `${pack}.${name}`,
		pack,
		name,
		description: words(10),
		enabled: true,
		action_ref: `${pack}.action_${index}`,
		metadata_file: `aliases/${name}.yaml`,
		formats: [`do ${name} {{ parameter_1 }} with {{ parameter_2=value }}`],
		ack: { format: "on it" },
		result: { format: "{{ execution.result }}" },
		extra: {},
		immutable_parameters: {},
	};
}

for (const [kind, count, make] of [
	["pack", packs, toPack],
	["action", actions, toAction],
	["action_alias", aliases, toAlias],
]) {
	for (let start = 0; start < count; start += 500) {
		const rows = Array.from({ length: Math.min(500, count - start) }, (_none, index) => make(start + index));
		await instance.insert(
			kind,
			rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))),
		);
	}
}
await instance.stop();
process.stdout.write(`${JSON.stringify({ packs, actions, aliases })}\n`);
