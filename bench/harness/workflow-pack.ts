import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const name = "bench";
const itemsAtOnce = 50;

/** Action whose tasks are the items 1 to `count`, each a no-op, so many at once. */
export const itemsAction = `${name}.items`;
/** How many tasks a workflow of `chainAction` has, each started by the end of the one before. */
export const chainLengths = [20, 100, 1_000] as const;
export const chainAction = (length: (typeof chainLengths)[number]) => `${name}.chain${length}`;

/** A pack with workflows that do nothing but start no-ops. */
export async function writeBenchPack(packs: string): Promise<void> {
	const directory = join(packs, name);
	await mkdir(join(directory, "actions", "workflows"), { recursive: true });
	const manifest = { ref: name, name, description: "Workflows of no-ops.", version: "1.0.0", author: "bench" };
	await writeFile(join(directory, "pack.yaml"), JSON.stringify(manifest));
	await writeWorkflow(directory, "items", {
		version: 1,
		input: ["count"],
		tasks: { each: { action: "core.noop", with: { items: "<% range(1, ctx(count) + 1) %>", concurrency: itemsAtOnce } } },
	});
	for (const length of chainLengths) await writeWorkflow(directory, `chain${length}`, toChain(length));
}

async function writeWorkflow(directory: string, action: string, definition: object): Promise<void> {
	const entry_point = `workflows/${action}.yaml`;
	const parameters = { count: { type: "integer", default: 1 } };
	await writeFile(
		join(directory, "actions", `${action}.yaml`),
		JSON.stringify({ name: action, runner_type: "workflow", entry_point, parameters }),
	);
	await writeFile(join(directory, "actions", entry_point), JSON.stringify(definition));
}

function toChain(length: number): object {
	const toTask = (index: number) => ({ action: "core.noop", ...(index < length - 1 && { next: [{ do: `task${index + 1}` }] }) });
	return { version: 1, tasks: Object.fromEntries(Array.from({ length }, (_, index) => [`task${index}`, toTask(index)])) };
}
