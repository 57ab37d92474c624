import { silentLogger } from "../../../core/testing/run-context.ts";
import { createOptions } from "../../../core/testing/service-options.ts";
import { createPyodideEngine } from "./index.ts";

/** A process with an engine that runs one action, to be killed: data directory, entry point and pack directory are its arguments. */
const [dataDirectory = "", entryPoint = "", packDirectory = ""] = process.argv.slice(2);
const engine = createPyodideEngine();
await engine.start({
	logger: silentLogger,
	clock: { now: () => Date.now() * 1000 },
	dataDirectory,
	nodeId: "killed",
	options: createOptions(),
});
await engine.run(
	{
		executionId: "1",
		entryPoint,
		packDirectory,
		libraries: [],
		pythonPaths: [],
		pack: "tests",
		user: "tester",
		parameters: {},
		config: {},
		environment: {},
		logLevel: "DEBUG",
		signal: new AbortController().signal,
	},
	{
		emit: async (_type, text) => void process.stdout.write(text),
		service: async () => ({ status: 0, text: "" }),
	},
);
