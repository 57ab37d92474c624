import { createRunContext, silentLogger } from "../../core/testing/run-context.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { contentParameters } from "./content-parameters.ts";
import { PackRevisions } from "./pack-revisions.ts";

/** A process with a run that goes on until it is killed: data directory, entry point and pack directory are its arguments. */
const [dataDirectory = "", entryPoint = "", packDirectory = ""] = process.argv.slice(2);
const versions = new PackRevisions("tests");
await versions.start({ logger: silentLogger, clock: { now: () => 0 }, dataDirectory, nodeId: "killed", options: createOptions() });
const parameters = { ...contentParameters, debug: { type: "boolean", default: false } } as const;
const context = createRunContext({ parameters }, { entryPoint, packDirectory, runnerParameters: { content_version: "v1" } });
await versions.use(context, () => {
	process.stdout.write("ready\n");
	return new Promise(() => setInterval(() => {}, 60_000));
});
