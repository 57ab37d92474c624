import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { HighChurnMap } from "../../contract/index.ts";
import { PrivateSlot } from "../../lib/private-slot.ts";
import { createEngine } from "../../service/service.ts";

// Makes much garbage in one of several ways, with `begin` before it on standard output, while Node tells of each collection.

const [, , what] = process.argv;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const toMuch = () => Array.from({ length: 300 }, (_, index) => ({ index, text: `text ${index}` }));
const collect = (globalThis as { readonly gc?: () => void }).gc;

/** As what was there for long: it lies where only whole collections look. */
async function grownOld(): Promise<void> {
	for (let round = 0; round < 3; round += 1) {
		collect?.();
		await turn();
	}
	process.stdout.write("begin\n");
}

type Settable<K> = { set(key: K, value: object): unknown };

async function passThrough(underWay: Settable<number> & { delete(key: number): unknown }, attached: Settable<object>): Promise<void> {
	await grownOld();
	for (let index = 0; index < 3_000; index += 1) {
		underWay.set(index, toMuch());
		if (index >= 4) underWay.delete(index - 4);
		attached.set({}, toMuch());
		if (index % 8 === 0) await turn();
	}
}

/** A map of what is under way, and what is attached to objects: by the classes of the service, and by those of JavaScript. */
const maps = {
	quick: () => passThrough(new HighChurnMap<number, object>(), new PrivateSlot<object, object>()),
	slow: () => passThrough(new Map<number, object>(), new WeakMap<object, object>()),
};

async function runEngine(): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "svc-garbage-"));
	const engine = createEngine({
		features: shippedFeatures(),
		storage: knexStorage({ client: "sqlite" }),
		event_bus: memoryBus(),
		runners: [noop()],
		data_dir: directory,
		auth: { enable: false, listen: false },
		api: { listen: false },
		stream: { listen: false },
		log: { level: "error" },
	});
	try {
		await engine.start();
		const watching = new AbortController();
		const updates = await engine.events.subscribe(["svc.execution__*"], { signal: watching.signal });
		const watched = (async () => {
			for await (const _update of updates);
		})();
		const run = async (count: number) => {
			let left = count;
			const work = async () => {
				for (; left > 0; left -= 1) await engine.run("core.noop").created;
			};
			await Promise.all(Array.from({ length: 16 }, work));
		};
		await run(500);
		await grownOld();
		await run(3_000);
		watching.abort();
		await watched;
	} finally {
		await engine.stop();
		rmSync(directory, { recursive: true });
	}
}

if (what === "engine") await runEngine();
else await maps[what as keyof typeof maps]();
