import { type SensorEntity, toErrorMessage } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { IncomingEvent } from "../../kernel/events/event-dispatcher-api.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import { Redactor } from "../../secrets/redactor.ts";
import type { PackConfigs } from "../packs/pack-configs-exports.ts";
import { GuardedSensorRun } from "./guarded-sensor-run.ts";
import type { NamedSensor } from "./named-sensor-exports.ts";
import { noAccess, type SensorAccess } from "./sensor-access.ts";
import { createSensorContext, type SensorContextDependencies } from "./sensor-context.ts";
import { processExit, processSpawn } from "./sensor-process-types.ts";
import type { Holding } from "./sensor-run.ts";
import type { SensorSources } from "./sensor-sources.ts";

/** Maximum characters of a stored error message. */
const maxErrorLength = 2_000;

export interface SensorWorkDependencies extends Omit<SensorContextDependencies, "logger">, Uses<"sealedSecrets">, Pick<Kernel, "logger"> {
	readonly packConfigs: PackConfigs;
	readonly sources: SensorSources;
	readonly access: SensorAccess;
}

/** Runs sensors: provides their context, reports the start and the end of each run, and masks secrets. */
export class SensorExecutor {
	readonly #parts: SensorWorkDependencies;

	constructor(parts: SensorWorkDependencies) {
		this.#parts = parts;
	}

	/** Runs a sensor with the settings of its record. Rejects if the sensor fails. */
	async run(record: SensorEntity, holding: Holding): Promise<void> {
		const { logger } = this.#parts;
		const { named, values, access, secrets } = await this.#prepare(record, holding);
		const known = new Redactor(secrets);
		const guard = new GuardedSensorRun(holding, ({ what, reason }) => {
			logger.error("a sensor did not handle an error", { sensor: named.ref, what, problem: toMessage(reason, known) });
		});
		const context = createSensorContext({ ...this.#parts, logger: logger.withTag(`sensor ${named.name}`) }, named, {
			packConfig: values,
			environment: access.environment,
			knownSecrets: this.#parts.sealedSecrets.encrypt(known),
			signal: guard.signal,
			isHeld: () => guard.isRunning() && holding.isHeld(),
		});
		for (const secret of secrets) logger.addSecret(secret);
		try {
			await this.#tellAround(named, holding, async () => {
				if (holding.signal.aborted) return;
				// A sensor of a pack is a separate process. The code that communicates with it belongs to the service and needs no guard.
				if (named.isFromPack === true) await named.sensor.run(context);
				else await guard.run(() => named.sensor.run(context));
			});
		} catch (error) {
			// The message is stored and shown to all users who may view the sensor. It must not contain secrets.
			throw new Error(toMessage(error, known), { cause: error });
		} finally {
			guard.end();
			await access.close();
			for (const secret of secrets) logger.forgetSecret(secret);
		}
	}

	/** Collects everything that the run needs. Retries while the storage is unavailable, because that is not a failure of the sensor. */
	async #prepare(record: SensorEntity, { signal }: Holding) {
		const { access, packConfigs, principal, sources, logger } = this.#parts;
		return retryWhileUnavailable(
			async () => {
				const named = await sources.get(record);
				const { values, secrets } = await packConfigs.resolve(named.pack, principal.username);
				const opened = named.isFromPack === true ? await access.open(named.ref) : noAccess;
				return { named, values, access: opened, secrets: [...secrets, ...opened.secrets] };
			},
			{
				signal,
				shouldGiveUp: () => signal.aborted,
				onUnavailable: (error) => logger.warn("storage is unavailable; sensor is waiting", { sensor: record.ref, error }),
			},
		);
	}

	/** Reports the start and the end of a run as events. */
	async #tellAround({ name, ref }: NamedSensor, holding: Holding, run: () => Promise<void>): Promise<void> {
		const { logger } = this.#parts;
		logger.info("sensor started", { sensor: ref });
		await this.#tell(processSpawn, { id: name, pid: process.pid, cmd: `sensor ${ref}` });
		let exitCode = 0;
		try {
			await run();
		} catch (error) {
			exitCode = holding.signal.aborted ? 0 : 1;
			throw error;
		} finally {
			// A node that has lost the sensor must not report its end.
			if (holding.isHeld()) await this.#tell(processExit, { id: name, exit_code: exitCode });
			logger.info("sensor ended", { sensor: ref });
		}
	}

	async #tell(trigger: string, payload: IncomingEvent["payload"]): Promise<void> {
		const timestamp = this.#parts.clock.now() / 1_000_000;
		await this.#parts.dispatcher.dispatch({ trigger, payload: { ...payload, timestamp } }).catch((error: unknown) => {
			this.#parts.logger.warn("publishing the start or end of a sensor failed", { trigger, error });
		});
	}
}

function toMessage(error: unknown, secrets: Redactor): string {
	return secrets.redactText(toErrorMessage(error)).slice(0, maxErrorLength);
}
