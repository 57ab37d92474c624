import { type PackSensorDefinition, type PackSensors, type PluginContext, type Sensor, SvcError } from "../../../core/contract/index.ts";
import type { EngineName } from "../engine.ts";
import type { Engines } from "../engines.ts";
import { toLibraryFolders } from "../library-folders.ts";
import type { SensorSettings } from "./sensor-request.ts";

/**
 * Fraction of the shutdown grace after which the process is killed. The rest of the grace lets the service notice that the sensor ended.
 */
const graceOfProcess = 0.7;

/** Creates the Python sensors of packs. */
export class PythonPackSensors implements PackSensors {
	readonly suffixes = [".py"];
	readonly #engines: Engines;
	readonly #choice: EngineName | "auto";
	#settings: SensorSettings | undefined;
	#libraries: readonly string[] = [];
	#pythonPaths: readonly string[] = [];

	constructor(engines: Engines, choice: EngineName | "auto") {
		this.#engines = engines;
		this.#choice = choice;
	}

	start({ options, pythonPaths = [] }: PluginContext): void {
		this.#libraries = toLibraryFolders(options);
		this.#pythonPaths = pythonPaths;
		this.#settings = {
			logLevel: options.actionrunner.python_runner_log_level,
			grace: options.sensorcontainer.shutdown_grace * 1_000 * graceOfProcess,
			user: {
				username: options.system_user.user,
				authentication: { method: "none" },
				rbac: { enabled: options.rbac.enable, roles: [], is_admin: true },
			},
		};
	}

	create = (definition: PackSensorDefinition): Sensor => {
		const { description, pack, trigger_types, poll_interval } = definition;
		return {
			...{ description, pack, trigger_types },
			...(poll_interval !== undefined && { poll_interval }),
			run: (context) => this.#run(definition, context),
		};
	};

	async #run(definition: PackSensorDefinition, context: Parameters<Sensor["run"]>[0]): Promise<void> {
		const settings = this.#settings;
		if (settings === undefined) throw new SvcError("SVC_RUNNER", "the runner has not been started");
		if (this.#choice === "pyodide")
			throw new SvcError(
				"SVC_RUNNER",
				"sensors of packs require the Python engine cpython, but this node is configured to use only pyodide",
			);
		const engine = await this.#engines.get("cpython");
		if (engine.runSensor === undefined) throw new SvcError("SVC_RUNNER", `the Python engine ${engine.name} does not support sensors`);
		const { ref, pack, name, entryPoint, packDirectory } = definition;
		const request = {
			...{ ref, pack, className: name, entryPoint, packDirectory, settings },
			config: context.packConfig,
			pollInterval: context.poll_interval,
			libraries: this.#libraries,
			pythonPaths: this.#pythonPaths,
		};
		await engine.runSensor(request, context);
	}
}
