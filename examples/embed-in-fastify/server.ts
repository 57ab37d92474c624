import fastify, { type FastifyBaseLogger } from "fastify";
import { createService, defineConfig, type Logger } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { localCommand } from "svc-automation/plugins-runner/local-command";

const port = Number(process.env["PORT"] ?? 3000);
const app = fastify({ logger: true });

/** Adapts the logger: pino expects the fields before the message. */
const toLogger = (log: FastifyBaseLogger): Logger => ({
	debug: (message, fields) => log.debug(fields, message),
	info: (message, fields) => log.info(fields, message),
	warn: (message, fields) => log.warn(fields, message),
	error: (message, fields) => log.error(fields, message),
});

const config = defineConfig({
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand()],
	data_dir: "../../data/embed-in-fastify",
	// The Fastify server listens for the service, and is responsible for authentication.
	auth: { enable: false, listen: false, api_url: `http://127.0.0.1:${port}/automation/api` },
	api: { listen: false },
	stream: { listen: false },
});
const service = createService(config, {
	directory: import.meta.dirname,
	env: process.env,
	basePath: "/automation",
	logger: toLogger(app.log.child({ part: "automation" })),
});

// The service reads the bodies itself, so Fastify must not parse them.
app.register(async (scope) => {
	scope.removeAllContentTypeParsers();
	scope.addContentTypeParser("*", (_request, _body, done) => done(null));
	scope.all("/automation/*", (request, reply) => {
		reply.hijack();
		service.nodeHandler(request.raw, reply.raw);
	});
});

app.post("/backup", async (_request, reply) => {
	const run = service.engine.run("core.local", { cmd: "echo saving; sleep 1; echo saved" });
	return reply.code(202).send({ output: `/automation/stream/v1/executions/${(await run.created).id}/output` });
});

app.addHook("onReady", async () => void (await service.start()));
// Stop the service before the connections are closed, so that its streams end.
app.addHook("preClose", () => service.stop());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void app.close());
await app.listen({ port, host: "127.0.0.1" });
