import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type SensorEntity, SvcError } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { assertNotSystemPack } from "../../kernel/basics/names.ts";
import { toInCondition } from "../../kernel/basics/pagination.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { SensorTypes } from "./sensor-types-exports.ts";

export function createSensorTypes({ storage, clock, changes }: Uses<"storage" | "clock"> & Pick<Kernel, "changes">): SensorTypes {
	async function find(refOrId: string): Promise<SensorEntity> {
		const [byRef] = await storage.find("sensor", { where: { ref: refOrId }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await storage.get("sensor", refOrId) : undefined);
		if (found === undefined) throw notFound(refOrId);
		return found;
	}

	/** Returns the sensor with its actual state. A node that has crashed leaves the last state it has stored. */
	function toShown(sensor: SensorEntity): SensorEntity {
		const isHeld = sensor.owner !== null && sensor.lease_expires_at !== null && sensor.lease_expires_at > toTimestamp(clock.steady());
		const claimsToRun = sensor.state === "running" || sensor.state === "waiting";
		return claimsToRun && !isHeld ? { ...sensor, state: "stopped", next_start_at: null } : sensor;
	}

	return {
		async list({ id, name, pack, enabled, trigger }, { limit, offset = 0 }) {
			const where = {
				...(id !== undefined && { id: toInCondition(id) }),
				...(name !== undefined && { name: toInCondition(name) }),
				...withoutUndefined({ pack, enabled }),
			};
			const sensors = await storage.find("sensor", { where, orderBy: [["ref", "asc"]] });
			// Filtered in memory, because storages cannot query members of a list. There are few sensors.
			const matching = sensors.filter(({ trigger_types: types }) => trigger === undefined || types.includes(trigger));
			const items = matching.slice(offset, limit === undefined ? undefined : offset + limit).map(toShown);
			return { items, total: matching.length };
		},
		get: async (refOrId) => toShown(await find(refOrId)),
		async artifacts(sensors) {
			const refs = new Set(sensors.flatMap(({ pack, entry_point }) => (entry_point === null ? [] : [pack])));
			const packs = refs.size === 0 ? [] : await storage.find("pack", { where: { ref: { in: [...refs] } }, fields: ["ref", "path"] });
			const paths = new Map(packs.map(({ ref, path }) => [ref, path]));
			return sensors.map((sensor) => toArtifact(sensor, paths.get(sensor.pack) ?? null));
		},
		async setEnabled(refOrId, enabled) {
			const { id, pack } = await find(refOrId);
			assertNotSystemPack(pack);
			const changed = await storage.update("sensor", id, { enabled });
			if (changed === undefined) throw notFound(refOrId);
			changes.announceChange();
			return toShown(changed);
		},
	};
}

function toArtifact({ entry_point, content }: SensorEntity, path: string | null): string {
	if (entry_point === null) return "";
	if (content !== null) return `content:${content}/sensors/${entry_point}`;
	return path === null ? "" : pathToFileURL(join(path, "sensors", entry_point)).href;
}

function notFound(refOrId: string): SvcError {
	return new SvcError("SVC_NOT_FOUND", `sensor type "${refOrId}" cannot be found`);
}
