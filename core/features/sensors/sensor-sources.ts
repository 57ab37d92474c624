import { type SensorEntity, SvcError } from "../../contract/index.ts";
import type { ActionCatalog } from "../../kernel/executions/action-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { resolveEntryPoint } from "../packs/entry-point-api.ts";
import { type NamedSensor, toNamedSensor } from "./named-sensor-api.ts";
import type { PackSensorRunners } from "./pack-sensor-runners.ts";

export interface SensorSourceOptions extends Pick<Kernel, "sensors"> {
	readonly runners: PackSensorRunners;
	readonly catalog: Pick<ActionCatalog, "packDirectory">;
}

/** Where the sensors that records tell of come from: the configuration, and packs. */
export class SensorSources {
	readonly #configured: ReadonlyMap<string, NamedSensor>;
	readonly #parts: SensorSourceOptions;

	constructor(parts: SensorSourceOptions) {
		this.#parts = parts;
		this.#configured = new Map([...parts.sensors].map(([name, sensor]) => [toNamedSensor(name, sensor).ref, toNamedSensor(name, sensor)]));
	}

	get configured(): readonly NamedSensor[] {
		return [...this.#configured.values()];
	}

	/** Whether this node can run it. A sensor that the configuration does not name any more has only its record left. */
	has({ ref, entry_point }: SensorEntity): boolean {
		if (entry_point === null) return this.#configured.has(ref);
		return !this.#configured.has(ref) && this.#parts.runners.find(entry_point) !== undefined;
	}

	/** What is to be run. Rejects with why it cannot be. */
	async get(record: SensorEntity): Promise<NamedSensor> {
		const configured = this.#configured.get(record.ref);
		return configured ?? this.#fromPack(record);
	}

	async #fromPack({
		ref,
		pack,
		name,
		description,
		entry_point,
		content,
		poll_interval,
		trigger_types,
	}: SensorEntity): Promise<NamedSensor> {
		const runner = this.#parts.runners.find(entry_point ?? "");
		const directory = await this.#parts.catalog.packDirectory(pack, content);
		if (runner === undefined || directory === undefined) throw new SvcError("SVC_RUNNER", `sensor "${ref}" has no files on this node`);
		const sensor = runner.create({
			...{ ref, pack, name, description },
			entryPoint: await resolveEntryPoint(directory, entry_point ?? "", "sensors"),
			packDirectory: directory,
			...(poll_interval !== null && { poll_interval }),
			trigger_types: trigger_types.map((type) => ({ name: type.slice(pack.length + 1) })),
		});
		return { name, ref, pack, sensor, isFromPack: true };
	}
}
