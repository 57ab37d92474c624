import { client } from "../kit/service.ts";
import * as texts from "../texts/packs.ts";
import { JobDialog } from "./job-dialog.tsx";

interface UpgradeProps {
	/** Refs of the packs; empty for all installed packs. */
	readonly packs: readonly string[];
	readonly onClose: () => void;
}

/** Requests confirmation and upgrades the packs. */
export function UpgradeDialog({ packs, onClose }: UpgradeProps) {
	return (
		<JobDialog
			job="upgrade"
			title={texts.upgradeTitle(packs)}
			action={texts.upgrade}
			begin={(flags) => client.packInstalls.upgrade(packs, flags)}
			onClose={onClose}
		>
			<p>{texts.upgradeText}</p>
		</JobDialog>
	);
}
