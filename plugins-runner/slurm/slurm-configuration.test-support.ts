import { hostname } from "node:os";

/** What of a cluster's configuration tests differ in. */
export interface SlurmSite {
	readonly directory: string;
	/** Where commands find the controller. */
	readonly controllerPort: number;
	readonly nodePort: number;
	/** Where slurmdbd listens; undefined: no accounting. */
	readonly accountingPort: number | undefined;
}

export const machine = hostname().split(".")[0] ?? "localhost";

/** The text of slurm.conf. */
export function toConfiguration({ directory, controllerPort, nodePort, accountingPort }: SlurmSite): string {
	return [
		"ClusterName=tests",
		`SlurmctldHost=${machine}(127.0.0.1)`,
		`SlurmctldPort=${controllerPort}`,
		`SlurmdPort=${nodePort}`,
		"SlurmUser=root",
		"SlurmdUser=root",
		"AuthType=auth/munge",
		`AuthInfo=socket=${directory}/munge/socket`,
		"CredType=cred/munge",
		"ProctrackType=proctrack/linuxproc",
		"TaskPlugin=task/none",
		"SelectType=select/cons_tres",
		"SelectTypeParameters=CR_CPU_Memory",
		"DefMemPerNode=100",
		"SlurmdParameters=config_overrides",
		"MpiDefault=none",
		"ReturnToService=2",
		"KillWait=30",
		// A daemon of the accounting that makes its tables on a busy machine is waited for.
		`MessageTimeout=${accountingPort === undefined ? 5 : 60}`,
		"SchedulerType=sched/backfill",
		"SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1,sched_interval=1",
		...(accountingPort === undefined ? ["JobAcctGatherType=jobacct_gather/none"] : toAccounting(directory, accountingPort)),
		`StateSaveLocation=${directory}/state`,
		`SlurmdSpoolDir=${directory}/spool`,
		`SlurmctldPidFile=${directory}/slurmctld.pid`,
		`SlurmdPidFile=${directory}/slurmd.pid`,
		`SlurmctldLogFile=${directory}/slurmctld.log`,
		`SlurmdLogFile=${directory}/slurmd.log`,
		`NodeName=${machine} NodeAddr=127.0.0.1 CPUs=64 RealMemory=100000 State=UNKNOWN`,
		`PartitionName=main Nodes=${machine} Default=YES State=UP`,
		`PartitionName=other Nodes=${machine} State=UP`,
		"",
	].join("\n");
}

/** With it comes whoever counts what jobs use, and ends those that take too much memory: cgroups would do it, but a container has none. */
function toAccounting(directory: string, port: number): readonly string[] {
	return [
		"AccountingStorageType=accounting_storage/slurmdbd",
		"AccountingStorageHost=127.0.0.1",
		`AccountingStoragePass=${directory}/munge/socket`,
		`AccountingStoragePort=${port}`,
		"JobAcctGatherType=jobacct_gather/linux",
		"JobAcctGatherFrequency=task=1",
		"JobAcctGatherParams=OverMemoryKill",
	];
}
