import { type SensorEntity, SvcError } from "../../contract/index.ts";
import type { ActionCatalog } from "../../kernel/executions/action-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { resolveEntryPoint } from "../packs/entry-point-exports.ts";
import { type NamedSensor, toNamedSensor } from "./named-sensor-exports.ts";
import type { PackSensorRunners } from "./pack-sensor-runners.ts";

export interface SensorSourceOptions extends Pick<Kernel, "sensors"> {
	readonly runners: PackSensorRunners;
	readonly catalog: Pick<ActionCatalog, "packDirectory">;
}

/** Finds the sensor for a record, in the configuration or in a pack. */
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

	/** Returns true if this node can run the sensor. A record may remain after a sensor was removed from the configuration. */
	has({ ref, entry_point }: SensorEntity): boolean {
		if (entry_point === null) return this.#configured.has(ref);
		return !this.#configured.has(ref) && this.#parts.runners.find(entry_point) !== undefined;
	}

	/** Returns the sensor of a record. Rejects if it cannot be run. */
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
