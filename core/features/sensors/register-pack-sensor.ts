import { createHash } from "node:crypto";
import { access, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type SensorEntity, SvcError, stringifyJson } from "../../contract/index.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../kernel/basics/insert-if-absent.ts";
import { assertRefNames } from "../../kernel/basics/names.ts";
import { resolveEntryPoint } from "../packs/entry-point-exports.ts";
import type { Registering } from "../packs/pack-files-exports.ts";
import type { PackSensorRunners } from "./pack-sensor-runners.ts";
import { type RegisterSensorDependencies, toUntouched } from "./register-sensors.ts";
import type { SensorInput } from "./sensor-file.ts";

/** Maximum bytes of a sensor's program. */
const maxProgramSize = 5_000_000;

export interface RegisterPackSensorDependencies extends RegisterSensorDependencies {
	readonly runners: PackSensorRunners;
	/** Refs of the sensors of the configuration. */
	readonly configured: ReadonlySet<string>;
}

/**
 * Creates or updates the records of a pack's sensor and of its trigger types. The file sets `enabled` only for a new sensor, because only
 * operators change it later. With `isOverridden`, `enabled` comes from an operator and is always stored. Throws `SVC_INVALID` for an
 * invalid sensor.
 */
export async function registerPackSensor(parts: RegisterPackSensorDependencies, input: SensorInput, how: Registering): Promise<void> {
	const { storage, clock } = parts;
	const { path, content } = how.pack;
	assertRefNames(input);
	const ref = `${input.pack}.${input.name}`;
	if (parts.configured.has(ref)) throw new SvcError("SVC_INVALID", `the configuration already has a sensor "${ref}"`);
	const [known] = await storage.find("sensor", { where: { ref }, limit: 1 });
	await assertUnique(known, input, path);
	parts.runners.assertRuns(input.entry_point);
	const program = await hashProgram(await resolveEntryPoint(path, input.entry_point, "sensors"));
	await registerTypes(parts, input, path);
	const { enabled, trigger_types, ...said } = input;
	const declared = {
		...said,
		ref,
		content,
		trigger_types: trigger_types.map((type) => `${input.pack}.${type.name}`),
	};
	const fields = { ...declared, revision: toHash(stringifyJson([declared, program])) };
	if (known === undefined) {
		const entity: SensorEntity = { ...toUntouched(clock), id: createId(clock), enabled, ...fields };
		await insertIfAbsent(() => storage.insert("sensor", [entity]));
		return;
	}
	const patch = how.isOverridden ? { ...fields, enabled } : fields;
	if (!isDeepStrictEqual({ ...known, ...patch }, known)) await storage.update("sensor", known.id, patch);
}

/**
 * Throws `SVC_INVALID` if another file declares the same class. The file whose path sorts first has precedence, regardless of the order of
 * registration.
 */
async function assertUnique(known: SensorEntity | undefined, { metadata_file: file }: SensorInput, path: string): Promise<void> {
	const other = known?.metadata_file ?? null;
	if (other === null || other === file || other > file || !(await exists(join(path, other)))) return;
	throw new SvcError("SVC_INVALID", `attribute "class_name" must be unique in the pack; ${other} also has "${known?.name}"`);
}

/** Registers the trigger types of the sensor, except those that have a file of their own in the pack, which takes precedence. */
async function registerTypes({ storage, registerType }: RegisterPackSensorDependencies, input: SensorInput, path: string): Promise<void> {
	for (const type of input.trigger_types) {
		const [known] = await storage.find("trigger_type", { where: { ref: `${input.pack}.${type.name}` }, limit: 1 });
		const file = known?.metadata_file ?? "";
		if (file.startsWith("triggers/") && (await exists(join(path, file)))) continue;
		await insertIfAbsent(() => registerType({ description: "", ...type, pack: input.pack, metadata_file: input.metadata_file }));
	}
}

async function hashProgram(file: string): Promise<string> {
	const { size } = await stat(file);
	if (size > maxProgramSize)
		throw new SvcError("SVC_INVALID", `attribute "entry_point" must name a file of at most ${maxProgramSize} bytes, got ${size}`);
	return toHash(await readFile(file));
}

function toHash(data: string | Buffer): string {
	return createHash("sha256").update(data).digest("hex");
}

function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}
