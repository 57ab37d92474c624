import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { containerRunner } from "svc-automation/plugins-runner/container";

// Without CONTAINER_HOST, such as unix:///run/user/1000/podman/podman.sock, the usual sockets of Docker and Podman are tried.
const host = process.env["CONTAINER_HOST"];

export default defineConfig({
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [containerRunner({ ...(host ? { host } : {}), images: ["docker.io/library/*", "localhost/*"], user: "65534:65534" })],
	packs: ["packs"],
	data_dir: "../../data/containers",
	// It listens on this machine only. With sign-in it would be one member more, as in the other examples.
	auth: { enable: false },
});
