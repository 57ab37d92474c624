import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { remoteCommand } from "svc-automation/plugins-runner/remote-command";

const { env } = process;

// A service that runs the actions of the pack "fleet" on other machines. Users do not sign in, so run it only on your own machine.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [remoteCommand()],
	packs: ["./packs"],
	data_dir: "../../data/remote-fleet",
	auth: { enable: false },
	system_user: { user: env["FLEET_USER"] ?? "deploy", ssh_key_file: env["FLEET_KEY"] ?? "~/.ssh/id_ed25519" },
	ssh_runner: { known_hosts: env["FLEET_KNOWN_HOSTS"] ?? "~/.ssh/known_hosts" },
});
