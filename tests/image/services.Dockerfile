# Stand-ins for the images of PostgreSQL, Redis and Caddy in docker-compose.yml, for machines on which
# no registry of images answers: the same programs, as Debian 13 has them.
ARG BASE
FROM ${BASE}
RUN printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d \
    && install -d /etc/postgresql-common /config \
    && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
RUN apt-get update \
    && apt-get install --yes --no-install-recommends caddy postgresql-17 redis-server wget
# The first start makes the database, as that of the official image does.
RUN install -d -m 700 /var/lib/postgresql/data \
    && printf '%s\n' '#!/bin/sh' 'set -e' 'PGDATA=/var/lib/postgresql/data' 'export PGDATA' \
    'as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }' \
    'if [ ! -e "$PGDATA/PG_VERSION" ]; then' \
    '  chown postgres:postgres "$PGDATA" && chmod 700 "$PGDATA"' \
    '  printf %s "$POSTGRES_PASSWORD" >/tmp/password' \
    '  as_postgres initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth-host scram-sha-256' \
    '  rm /tmp/password' \
    '  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"' \
    '  echo "CREATE DATABASE $POSTGRES_DB" | as_postgres postgres --single postgres' \
    'fi' \
    'exec setpriv --reuid postgres --regid postgres --clear-groups "$@" -c listen_addresses="*"' \
    >/usr/local/bin/start-postgres && chmod +x /usr/local/bin/start-postgres
ENV PATH=/usr/lib/postgresql/17/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
